import type { ServerResponse } from 'node:http';
import type { OpenFile, StoredFile } from '@switchyard/files';
import { type Exchange, respondUnchanged } from '../exchange/exchange.ts';
import { rangeIn } from './byte-range.ts';

/**
 * Answers `GET` and `HEAD`: with a range, or that the client has the file. Close the file afterwards.
 * @returns the bytes of the file that were sent
 */
export async function answerFile({ file, chunks }: OpenFile, { req, res }: Exchange): Promise<number> {
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
  const content = chunks(range)[Symbol.asyncIterator]();
  try {
    // A store that is away is told while an error can still be answered.
    const first = await content.next();
    res.writeHead(status, headers);
    return (await sendAll(res, first, content)) ? end - start + 1 : 0;
  } finally {
    await content.return?.();
  }
}

/**
 * Each chunk has been sent before the next one is read into the same memory.
 * @returns false: the client has left
 */
async function sendAll(
  res: ServerResponse,
  first: IteratorResult<Uint8Array>,
  content: AsyncIterator<Uint8Array>,
): Promise<boolean> {
  let onClosed: () => void = () => undefined;
  res.once('close', () => onClosed());
  const done = (send: (onSent: (error?: Error | null) => void) => void): Promise<boolean> =>
    new Promise((resolve) => {
      onClosed = () => resolve(res.writableFinished);
      send((error) => resolve(!error));
    });
  try {
    for (let next = first; !next.done; next = await content.next()) {
      const { value } = next;
      if (!(await done((onSent) => res.write(value, onSent)))) return false;
    }
  } catch (error) {
    // The client sees that the file breaks off, and can go on with a range.
    res.destroy();
    throw error;
  }
  return done((onSent) => res.end(onSent));
}

/** A file is never shown as a page of this gateway. */
function dispositionOf({ filename }: StoredFile): string {
  if (filename === undefined) return 'attachment';
  // An agent may have cut the name within a character, which has no encoding.
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}

export function etagOf({ sha256 }: StoredFile): string {
  return `"${sha256}"`;
}
