import { ResponseRefused } from './errors.ts';

/** @throws {ResponseRefused} as soon as the body is longer than `maxBytes` */
export async function* limitBody(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    yield chunk;
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * An event stream of any length, in chunks of whole lines: a parser that scans its buffer again with each chunk would
 * take quadratic time for a line that arrives byte by byte.
 * @throws {ResponseRefused} as soon as a line is longer than `maxBytes`
 */
export async function* limitLines(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  for await (const chunk of body) {
    const end = endOfLastLine(chunk);
    if (end > 0) {
      if (bufferedBytes + endOfFirstLine(chunk) > maxBytes) throw tooLong(maxBytes);
      yield Buffer.concat([...buffered, chunk.subarray(0, end)]);
      buffered = [];
      bufferedBytes = 0;
    }
    buffered.push(chunk.subarray(end));
    bufferedBytes += chunk.length - end;
    if (bufferedBytes > maxBytes) throw tooLong(maxBytes);
  }
  if (bufferedBytes > 0) yield Buffer.concat(buffered);
}

/** A line of an event stream may end with either, or with both. */
function endOfLastLine(chunk: Buffer): number {
  return Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1;
}

function endOfFirstLine(chunk: Buffer): number {
  const ends = [chunk.indexOf(LINE_FEED), chunk.indexOf(CARRIAGE_RETURN)].filter((end) => end >= 0);
  return Math.min(...ends);
}

function tooLong(maxBytes: number): ResponseRefused {
  return new ResponseRefused(`the response is longer than ${maxBytes} bytes`);
}
