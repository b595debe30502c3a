import { ResponseRefused } from './errors.ts';

/** The body, or an error as soon as it is longer than `maxBytes`. */
export async function* limitBody(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    yield chunk;
  }
}

const NEWLINE = 10;

/**
 * An event stream, which may be of any length, but no line of it. Whole lines only: a parser that looks through what it
 * holds at each piece would take quadratic time for a line that comes byte by byte.
 */
export async function* limitLines(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      if (heldBytes + chunk.indexOf(NEWLINE) > maxBytes) throw tooLong(maxBytes);
      yield Buffer.concat([...held, chunk.subarray(0, end)]);
      held = [];
      heldBytes = 0;
    }
    held.push(chunk.subarray(end));
    heldBytes += chunk.length - end;
    if (heldBytes > maxBytes) throw tooLong(maxBytes);
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

function tooLong(maxBytes: number): ResponseRefused {
  return new ResponseRefused(`the answer is longer than ${maxBytes} bytes`);
}
