import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import type { OpenFile, StoredFile } from '@switchyard/files';
import { type Exchange, respondUnchanged } from '../exchange/exchange.ts';
import { rangeIn } from './byte-range.ts';

/**
 * Answers `GET` and `HEAD`: with a range, or that the client has the file. Close the file afterwards.
 * @returns the bytes of the file that were sent
 */
export async function answerFile({ file, read }: OpenFile, { req, res }: Exchange): Promise<number> {
  const { sizeBytes, sha256 } = file;
  const etag = etagOf(file);
  const validators = ['ETag', etag, 'Cache-Control', 'private, no-cache'];
  const known = req.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (known?.some((each) => each === etag || each === '*')) {
    respondUnchanged(res, validators);
    return 0;
  }
  const range = rangeIn(req.headers, { sizeBytes, etag });
  if (range === 'unsatisfiable') {
    res.writeHead(416, ['Content-Range', `bytes */${sizeBytes}`, 'Content-Length', '0']).end();
    return 0;
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  const headers = [...validators, 'Accept-Ranges', 'bytes', 'Content-Length', String(end - start + 1)];
  headers.push('Content-Type', file.mediaType, 'Content-Disposition', dispositionOf(file));
  headers.push('Repr-Digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`);
  if (range) headers.push('Content-Range', `bytes ${start}-${end}/${sizeBytes}`);
  const status = range ? 206 : 200;
  if (req.method === 'HEAD') {
    res.writeHead(status, headers).end();
    return 0;
  }
  const content = read(range);
  // A store that is away is told while an error can still be answered.
  await once(content, 'readable');
  res.writeHead(status, headers);
  try {
    await pipeline(content, res);
    return end - start + 1;
  } catch (error) {
    // The client sees that the file breaks off, and can go on with a range.
    if (!res.destroyed) res.destroy();
    if (!isOfClient(error)) throw error;
    return 0;
  }
}

/** The client has left. */
function isOfClient(error: unknown): boolean {
  const codes: readonly unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];
  return error instanceof Error && 'code' in error && codes.includes(error.code);
}

/** A file is never shown as a page of this gateway. */
function dispositionOf({ filename }: StoredFile): string {
  if (filename === undefined) return 'attachment';
  const encoded = encodeURIComponent(filename).replaceAll(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `attachment; filename*=UTF-8''${encoded}`;
}

export function etagOf({ sha256 }: StoredFile): string {
  return `"${sha256}"`;
}
