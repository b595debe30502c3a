import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayPaths } from '../agent/gateway.ts';
import { CommandFailure } from '../failures/failure.ts';
import { bounded, RETRY_AFTER_MS } from './bounded-download.ts';

export interface StoredFileOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/**
 * Saves a file of the gateway. What has arrived is in `<path>.<id>.part` until then: after a broken connection it goes
 * on from there, and so does the same command later.
 * @param file its path below the gateway @throws {Error} with the reason
 */
export async function saveStoredFile(
  path: string,
  { gateway, file }: { readonly gateway: Pick<GatewayPaths, 'request'>; readonly file: string },
  options: StoredFileOptions,
): Promise<void> {
  const part = `${path}.${file.slice('/files/'.length).slice(0, 8)}.part`;
  let digest: string | undefined;
  for (let failures = 0; ; failures++) {
    try {
      digest = (await receive(part, { gateway, file }, options)) ?? digest;
      break;
    } catch (error) {
      const delayMs = RETRY_AFTER_MS[failures];
      if (error instanceof FinalFailure || options.signal?.aborted || delayMs === undefined) throw error;
      await sleep(delayMs, undefined, options.signal ? { signal: options.signal } : {});
    }
  }
  if (digest !== undefined && digest !== (await digestOf(part))) {
    await rm(part, { force: true });
    throw new Error('what has arrived is not the file: its SHA-256 is another one');
  }
  await rename(part, path);
}

/** The same would happen again. */
class FinalFailure extends Error {}

/** Of the credentials, or of this file alone: the others of the task are still asked for. */
const refusedCodes: readonly unknown[] = [401, 403];

/** @returns the digest of the whole file, if the gateway says it */
async function receive(
  part: string,
  { gateway, file }: { readonly gateway: Pick<GatewayPaths, 'request'>; readonly file: string },
  { maxBytes, signal, onProgress }: StoredFileOptions,
): Promise<string | undefined> {
  const from = await sizeOf(part);
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
  const response = await gateway.request(file, { method: 'GET', headers }).catch((error: unknown) => {
    const isRefused = error instanceof CommandFailure && refusedCodes.includes(error.a2aCode);
    throw isRefused ? new FinalFailure(error.message) : error;
  });
  // All of it has arrived before.
  if (response.status === 416) return undefined;
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new (response.status < 500 ? FinalFailure : Error)(`HTTP ${response.status}`);
  }
  const isRest = response.status === 206;
  const { headers: answered } = response;
  const count = bounded({ maxBytes, name: part, onProgress, headers: answered, from: isRest ? from : 0 });
  const target = createWriteStream(part, { flags: isRest ? 'a' : 'w' });
  await pipeline(response.body, count, target, { ...(signal && { signal }) });
  return /sha-256=:([^:]+):/.exec(answered.get('repr-digest') ?? '')?.[1];
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // Nothing has arrived yet.
    return 0;
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('base64');
}
