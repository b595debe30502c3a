import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayPaths } from '../agent/gateway.ts';
import type { Part } from '../agent/objects.ts';
import { CommandFailure } from '../failures/failure.ts';
import { megabytes, PROGRESS_MS, RETRY_AFTER_MS } from './bounded-download.ts';

/** Of one request: each must arrive within the gateway's BODY_TIMEOUT_MS. */
const PIECE_BYTES = 8 * 1024 ** 2;
const tus = { 'tus-resumable': '1.0.0' };

interface LocalFile {
  readonly path: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

interface UploadOptions {
  readonly gateway: Pick<GatewayPaths, 'base' | 'request'>;
  readonly signal: AbortSignal;
  /** Called every few seconds. */
  readonly onProgress: (text: string) => void;
}

/**
 * Uploads a file piece by piece, with the protocol tus (docs/extensions/files.md). A piece that breaks off is continued where it ended.
 * @throws {CommandFailure} the gateway refuses it, or stays unreachable
 */
export async function upload(file: LocalFile, options: UploadOptions): Promise<Part> {
  const { path, filename, mediaType, sizeBytes } = file;
  const { gateway } = options;
  const metadata = Object.entries({ filename, filetype: mediaType }).map(([name, text]) => `${name} ${base64(text)}`);
  const headers = { ...tus, 'upload-length': String(sizeBytes), 'upload-metadata': metadata.join(',') };
  const created = await accepted(await gateway.request('/files', { method: 'POST', headers }), path);
  const url = created.headers.get('location') ?? '';
  if (!url.startsWith(`${gateway.base}/files/`))
    throw new CommandFailure(
      'InvalidAgentResponseError',
      `The gateway stores ${path} at an address that is not its own`,
    );
  const source = await open(path);
  try {
    await sendPieces({ ...file, source, to: url.slice(gateway.base.length) }, options);
  } finally {
    await source.close();
  }
  return { url, filename, mediaType };
}

interface Sending extends LocalFile {
  readonly source: FileHandle;
  /** Path below the gateway. */
  readonly to: string;
}

async function sendPieces({ path, source, sizeBytes, to }: Sending, { gateway, signal, onProgress }: UploadOptions) {
  let offset = 0;
  let failures = 0;
  let saidAtMs = performance.now();
  while (offset < sizeBytes) {
    const { bytesRead, buffer } = await source.read(Buffer.alloc(Math.min(PIECE_BYTES, sizeBytes - offset)), {
      position: offset,
    });
    if (bytesRead === 0) throw new CommandFailure('A2ACLI_ERR_USAGE', `${path} has become shorter`);
    const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
    try {
      const body = buffer.subarray(0, bytesRead);
      offset = offsetIn(await accepted(await gateway.request(to, { method: 'PATCH', headers, body }), path));
      failures = 0;
    } catch (error) {
      const delayMs = RETRY_AFTER_MS[failures++];
      if (signal.aborted || delayMs === undefined || !mayPass(error)) throw error;
      await sleep(delayMs, undefined, { signal });
      offset = (await storedSoFar(to, path, gateway)) ?? offset;
    }
    if (performance.now() - saidAtMs < PROGRESS_MS) continue;
    saidAtMs = performance.now();
    onProgress(`${path}: ${megabytes(offset)} of ${megabytes(sizeBytes)}`);
  }
}

/** Undefined: the gateway does not answer; the next try of the piece will tell. */
async function storedSoFar(to: string, path: string, gateway: UploadOptions['gateway']): Promise<number | undefined> {
  try {
    return offsetIn(await accepted(await gateway.request(to, { method: 'HEAD', headers: tus }), path));
  } catch (error) {
    if (mayPass(error)) return undefined;
    throw error;
  }
}

function offsetIn({ headers }: Response): number {
  const offset = Number(headers.get('upload-offset') ?? Number.NaN);
  if (Number.isSafeInteger(offset)) return offset;
  throw new CommandFailure('InvalidAgentResponseError', 'The gateway does not say how much of the file it has');
}

async function accepted(response: Response, path: string): Promise<Response> {
  if (response.ok) {
    await response.body?.cancel();
    return response;
  }
  const reason = (await response.text()).trim().slice(0, 500);
  const code = response.status < 500 && response.status !== 409 ? 'A2ACLI_ERR_USAGE' : 'A2ACLI_ERR_UNREACHABLE';
  throw new CommandFailure(code, `${path} was not uploaded: ${reason || `HTTP ${response.status}`}`, {
    a2aCode: response.status,
  });
}

/** The connection broke off, or the gateway is being replaced. */
function mayPass(error: unknown): boolean {
  return !(error instanceof CommandFailure) || error.code === 'A2ACLI_ERR_UNREACHABLE';
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
