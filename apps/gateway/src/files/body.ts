import { on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { free } from '@switchyard/files';

/** The client has left, or its connection broke, before the body was there. */
export class BodyBroken extends Error {
  override readonly name = 'BodyBroken';

  constructor(options?: ErrorOptions) {
    super('The body broke off', options);
  }
}

/**
 * A body as it comes. Each chunk is valid until the next one: then its memory is given back. What is not read stays, so
 * that a refusal can be answered.
 * @param stop ends it, with what has come
 * @throws {BodyBroken}
 */
export async function* bodyOf(req: IncomingMessage, stop?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (stop?.aborted || req.readableEnded) return;
  // It says no more that it has ended.
  if (req.destroyed) throw new BodyBroken();
  try {
    // Not the iterator of the request, which joins chunks: their memory would wait for the garbage collection.
    const options = { close: ['end', 'close'], highWaterMark: 1, lowWaterMark: 1, ...(stop && { signal: stop }) };
    for await (const [chunk] of on(req, 'data', options)) {
      yield chunk;
      free(chunk);
    }
  } catch (cause) {
    if (stop?.aborted) return;
    throw new BodyBroken({ cause });
  }
  if (!req.complete) throw new BodyBroken();
}
