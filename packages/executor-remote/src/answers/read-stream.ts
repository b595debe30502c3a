import { withoutNulls } from '@switchyard/protocol';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { withAppendMark } from './append-mark.ts';
import { LastWord, lastWordMs } from './last-word.ts';
import { isObject, type JsonObject, mendedV03 } from './mend.ts';
import type { Protocol } from './protocol.ts';
import { envelope, jsonIn } from './read-answer.ts';
import { RemoteError } from './remote-error.ts';

/** Times in milliseconds. */
export interface StreamLimits {
  /** Longest time without data, such as an event or a comment; then the stream ends. */
  readonly idleMs: number;
  /** Longest time until the first event; then the stream ends. */
  readonly firstMs: number;
  /** Longest time without an event after the first one; then the stream ends. */
  readonly silenceMs: number;
  /** Most bytes without an event. */
  readonly maxBytes: number;
}

/** The SDK's client reads no longer events. The task that they belong to can be read. */
const maxEventLength = 4 * 1024 * 1024;

/**
 * An event stream of any server, as the SDK reads it: comments, unknown events and fields are left out, and the rest is
 * framed in one way.
 * @throws {RemoteError} while it is read
 */
export async function* framed(
  body: ReadableStream<Uint8Array>,
  protocol: Protocol,
  { limits, id }: { readonly limits: StreamLimits; readonly id: () => unknown },
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  const word = new LastWord();
  const frame = (result: JsonObject): Uint8Array => {
    const data = JSON.stringify(protocol.binding === 'JSONRPC' ? { jsonrpc: '2.0', id: id(), result } : result);
    if (data.length > maxEventLength) throw new RemoteError('unclear', 'an event of its stream has more than 4 MiB');
    return encoder.encode(`data: ${data}\n\n`);
  };
  try {
    for await (const message of messagesIn(body, limits, word)) {
      const read = readMessage(message, protocol, id);
      if (read && 'refusal' in read) {
        yield encoder.encode(read.refusal);
        return;
      }
      if (read) for (const result of word.add(read.result, message.data.length)) yield frame(result);
    }
  } catch (error) {
    // What is held back was said before the stream broke.
    if (!word.isHeld) throw brokenOff(RemoteError.from(error));
  }
  for (const result of word.end()) yield frame(result);
}

/** The agent has the request: it has begun to answer. */
function brokenOff(error: RemoteError): RemoteError {
  if (error.kind !== 'broken') return error;
  return new RemoteError('unclear', 'its stream broke off', { cause: error });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type Read = { readonly result: JsonObject } | { readonly refusal: string };

/** Undefined: an event that is not known. */
function readMessage({ event, data }: EventSourceMessage, protocol: Protocol, id: () => unknown): Read | undefined {
  if (data.trim() === '' || data.trim() === '[DONE]') return undefined;
  const value = jsonIn(data);
  if (protocol.binding === 'HTTP+JSON') {
    // The lines of one event become one line: JSON has no line ends within a text.
    const isError = event === 'error' || (isObject(value) && isObject(value.error));
    if (isError && Number(Object(Object(value).error).code) === 503)
      throw new RemoteError('unreachable', 'its server ends the stream (503)');
    if (isError) return { refusal: `event: error\ndata: ${JSON.stringify(value)}\n\n` };
    return known(withoutNulls(value), protocol);
  }
  if (!isObject(value) || (value.result == null && value.error == null)) return undefined;
  const answer = envelope(value, id);
  if (answer.error) return { refusal: `data: ${JSON.stringify(answer)}\n\n` };
  return known(answer.result, protocol);
}

const names = ['task', 'message', 'statusUpdate', 'artifactUpdate', 'status_update', 'artifact_update', 'msg'];

function known(result: unknown, { binding, version }: Protocol): Read | undefined {
  if (!isObject(result)) return undefined;
  if (version === '0.3' && binding === 'JSONRPC') {
    const mended = mendedV03(result);
    return mended && { result: mended };
  }
  if (!names.some((name) => isObject(result[name]))) return undefined;
  return { result: version === '0.3' ? withAppendMark(result) : result };
}

/** The messages of an event stream. It ends when it is silent for too long. */
async function* messagesIn(
  body: ReadableStream<Uint8Array>,
  limits: StreamLimits,
  word: LastWord,
): AsyncGenerator<EventSourceMessage, void> {
  const queue: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => queue.push(event) });
  const text = new TextDecoder();
  const chunks = new Chunks(body, limits);
  try {
    for (;;) {
      const chunk = await chunks.next(word.isHeld);
      // Some servers leave out the line that ends the last event. A stream that breaks within an event ends before it.
      parser.feed(chunk ? text.decode(chunk, { stream: true }) : `${text.decode()}\n\n`);
      if (queue.length > 0) chunks.onEvent();
      yield* queue.splice(0).filter(({ data }) => chunk || isJson(data));
      if (!chunk) return;
    }
  } finally {
    chunks.stop();
  }
}

/** The bytes of a stream, within its limits. */
class Chunks {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #limits: StreamLimits;
  #silentSince = performance.now();
  #hasEvents = false;
  #bytes = 0;

  constructor(body: ReadableStream<Uint8Array>, limits: StreamLimits) {
    this.#reader = body.getReader();
    this.#limits = limits;
  }

  /** Undefined: the stream has ended, or was silent for too long. @throws {RemoteError} too many bytes without an event */
  async next(isEndHeld: boolean): Promise<Uint8Array | undefined> {
    const timer = setTimeout(() => this.stop(), this.#waitMs(isEndHeld));
    try {
      const { value } = await this.#reader.read();
      this.#bytes += value?.byteLength ?? 0;
      if (this.#bytes > this.#limits.maxBytes)
        throw new RemoteError('refused', `its stream has ${this.#limits.maxBytes} bytes without an event`);
      return value;
    } finally {
      clearTimeout(timer);
    }
  }

  onEvent(): void {
    this.#silentSince = performance.now();
    this.#hasEvents = true;
    this.#bytes = 0;
  }

  stop(): void {
    this.#reader.cancel().catch(() => undefined);
  }

  #waitMs(isEndHeld: boolean): number {
    const { idleMs, silenceMs, firstMs } = this.#limits;
    const longestMs = isEndHeld ? lastWordMs : this.#hasEvents ? silenceMs : firstMs;
    const leftMs = Math.max(this.#silentSince + longestMs - performance.now(), 0);
    return this.#hasEvents ? Math.min(idleMs, leftMs) : leftMs;
  }
}
