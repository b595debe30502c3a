import type { ServerResponse } from 'node:http';
import { type EventId, formatEventId, type Json, retain, wrapped } from '@switchyard/store';
import { drained } from '../exchange/exchange.ts';
import type { StreamItem } from '../operations/operation.ts';

export interface StreamFormat {
  /** A comment is sent after this time without an event. */
  readonly heartbeatMs: number;
  /** The `data` of an event in this binding. */
  data(json: Json): Json;
  /** JSON of an error after the stream has begun. */
  error(error: unknown): string;
}

const eventStreamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx would otherwise buffer events.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Writes the events of a task to the socket, as server-sent events. Available events leave in one write; a slow reader
 * pauses their source. An error becomes the last event, as the status line is sent already. Resolves when the stream
 * has ended, or its client is gone.
 */
export async function serveStream(
  res: ServerResponse,
  items: AsyncIterable<StreamItem>,
  format: StreamFormat,
): Promise<void> {
  for (const [name, value] of Object.entries(eventStreamHeaders)) res.setHeader(name, value);
  const buffer = new FrameBuffer(res);
  const heartbeat = setInterval(() => buffer.addUnlessBusy(heartbeatFrame), format.heartbeatMs);
  const iterator = items[Symbol.asyncIterator]();
  /** Not `for await`: it would keep the last event, which may be a large task, until the next one. */
  const writeNext = async (): Promise<boolean> => {
    const { done, value } = await iterator.next();
    if (done) return false;
    using _held = retain(value.json);
    buffer.add(eventFrame(value, format.data(value.json)));
    heartbeat.refresh();
    if (res.writableNeedDrain) await drained(res);
    return true;
  };
  try {
    while (await writeNext());
  } catch (error) {
    buffer.add(errorFrame(format.error(error)));
  } finally {
    clearInterval(heartbeat);
    buffer.flush();
    res.end();
  }
}

/** Sent when there is no event; clients ignore it. */
export const heartbeatFrame = ': heartbeat\n\n';

/**
 * One server-sent event. A line break would end its `data`; in JSON line breaks are only between tokens, and can be
 * removed.
 */
export function eventFrame(id: EventId, json: Json): Json {
  return wrapped(withoutLineBreaks(json), `id: ${formatEventId(id)}\ndata: `, '\n\n');
}

function withoutLineBreaks(json: Json): Json {
  const hasSome = typeof json === 'string' ? json.includes('\n') : json.hasLineBreak;
  return hasSome ? json.toString().replaceAll('\n', '') : json;
}

/** The last event of a broken stream. It has no id: the client resumes after the last event that it has. */
export function errorFrame(json: string): string {
  return `event: error\ndata: ${json}\n\n`;
}

/** Largest buffer for one write, in UTF-16 units. */
const largestBuffer = 64 * 1024;

/** The frames of one turn of the event loop. */
export class FrameBuffer {
  readonly #res: ServerResponse;
  #text = '';
  #isScheduled = false;

  constructor(res: ServerResponse) {
    this.#res = res;
    // Sends the headers, even if there is no event for a while.
    this.#schedule();
  }

  add(frame: Json): void {
    if (typeof frame !== 'string') return void this.#addPieces(frame.pieces);
    this.#text += frame;
    if (this.#text.length > largestBuffer) this.flush();
    else this.#schedule();
  }

  /** For heartbeats: a client that has not read the last buffer needs none. */
  addUnlessBusy(frame: string): void {
    if (!this.#res.writableNeedDrain) this.add(frame);
  }

  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (this.#res.destroyed) return;
    if (!this.#res.headersSent) this.#writeFirst(text);
    else if (text !== '') this.#res.write(text);
  }

  /** Writes them as they are: other readers share them. */
  #addPieces(pieces: readonly Buffer[]): void {
    this.flush();
    for (const piece of pieces) if (!this.#res.destroyed) this.#res.write(piece);
  }

  /**
   * Node keeps the headers while the response is open: as one text if they are written alone, otherwise as 32. The
   * response is not corked: it would then wait for a 'drain' that does not come if its socket keeps less than 64 KiB.
   */
  #writeFirst(text: string): void {
    const { socket } = this.#res;
    socket?.cork();
    this.#res.flushHeaders();
    if (text !== '') this.#res.write(text);
    socket?.uncork();
  }

  /** Writes after all settled promises have run: their frames are one buffer. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
