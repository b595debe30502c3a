import { createHash } from 'node:crypto';
import type { FileStore, OpenFile, SweepOptions } from '../../src/index.ts';

export const facts = { filename: 'a.bin', mediaType: 'video/mp4' };

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

export async function* content(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

export async function* broken(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  yield* content(...chunks);
  throw new Error('the connection broke off');
}

export async function read(files: FileStore, id: string, range?: { start: number; end: number }) {
  const opened = await files.open('o', id);
  return opened && (await bytesOf(opened, range)).toString();
}

/** Closes it afterwards. */
export async function bytesOf(opened: OpenFile, range?: { start: number; end: number }): Promise<Buffer> {
  try {
    return Buffer.concat(await Array.fromAsync(opened.chunks(range), (chunk) => Buffer.from(chunk)));
  } finally {
    await opened.close();
  }
}

export const sweepOptions = (...living: string[]): SweepOptions => ({
  deployment: 'ours',
  number: 0,
  existing: async (ids) => new Set(ids.filter((id) => living.includes(id))),
  unusedMs: 60_000,
  markMs: 60_000,
});
