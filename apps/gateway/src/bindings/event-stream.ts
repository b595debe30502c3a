import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EventId, formatEventId, type Json, retain, wrapped } from '@switchyard/store';
import Negotiator from 'negotiator';
import { drained, respond } from '../exchange/exchange.ts';
import type { StreamItem } from '../operations/operation.ts';

export interface StreamFormat {
  /** A comment is sent after this time without an event. */
  readonly heartbeatMs: number;
  /** The `data` of an event in this binding. */
  data(json: Json): Json;
  /** The frame of an error after the stream has started: the last event. */
  errorFrame(error: unknown): string;
}

export interface ServedStream {
  readonly items: AsyncIterable<StreamItem>;
  /** Called after the last item, and after each wait for the client: throws if the gateway has ended the stream. */
  readonly requireWhole?: () => void;
}

const eventStreamType = 'text/event-stream';

const eventStreamHeaders = {
  'Content-Type': eventStreamType,
  'Cache-Control': 'no-store',
  // nginx would otherwise buffer events.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Writes the events of a task to the socket as server-sent events. Available events are sent in one write; a slow
 * reader pauses the source. An error becomes the last event, because the status line is already sent. Resolves when the
 * stream has ended or its client has disconnected.
 */
export async function serveStream(
  res: ServerResponse,
  { items, requireWhole }: ServedStream,
  format: StreamFormat,
): Promise<void> {
  for (const [name, value] of Object.entries(eventStreamHeaders)) res.setHeader(name, value);
  const buffer = new FrameBuffer(res);
  const heartbeat = setInterval(() => buffer.addUnlessBusy(heartbeatFrame), format.heartbeatMs).unref();
  const iterator = items[Symbol.asyncIterator]();
  /** Not `for await`: it would keep the last event, which may be a large task, in memory until the next one. */
  const writeNext = async (): Promise<boolean> => {
    const { done, value } = await iterator.next();
    if (done) return false;
    using _held = retain(value.json);
    buffer.add(eventFrame(value, format.data(value.json)));
    heartbeat.refresh();
    if (res.writableNeedDrain) await drained(res).then(requireWhole);
    return true;
  };
  try {
    while (await writeNext());
    requireWhole?.();
  } catch (error) {
    buffer.add(format.errorFrame(error));
  } finally {
    clearInterval(heartbeat);
    buffer.flush();
    res.end();
  }
}

/** A comment, which clients ignore. */
export const heartbeatFrame = ': heartbeat\n\n';

/**
 * One server-sent event. JSON has line breaks only between tokens; they are removed, because a line break would end
 * `data`.
 */
export function eventFrame(id: EventId, json: Json): Json {
  return wrapped(withoutLineBreaks(json), `id: ${formatEventId(id)}\ndata: `, '\n\n');
}

function withoutLineBreaks(json: Json): Json {
  const hasSome = typeof json === 'string' ? json.includes('\n') : json.hasLineBreak;
  return hasSome ? json.toString().replaceAll('\n', '') : json;
}

/**
 * Whether the client reads nothing but events. Some clients of streams read JSON with status 200 as a stream without
 * events, and report no error.
 */
export function acceptsOnlyEvents({ headers: { accept } }: IncomingMessage): boolean {
  if (accept === undefined) return false;
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes(['application/json', eventStreamType]);
  return accepted.length === 1 && accepted[0] === eventStreamType;
}

/** A stream whose only event is its error. */
export function respondWithError(res: ServerResponse, frame: string): void {
  respond(res, eventStreamType, frame, ['Cache-Control', 'no-store']);
}

/** An error has no id, so the client resumes after the last event that it has. */
export function errorFrame(json: string): string {
  return `event: error\n${responseFrame(json)}`;
}

/** The error of a binding that marks it by other means: some clients read no details of an event with a name. */
export function responseFrame(json: string): string {
  return `data: ${json}\n\n`;
}

/** Maximum size of the buffer for one write, in UTF-16 units. */
const largestBuffer = 64 * 1024;

/** Collects the frames of one turn of the event loop. */
export class FrameBuffer {
  readonly #res: ServerResponse;
  #text = '';
  #isScheduled = false;

  constructor(res: ServerResponse) {
    this.#res = res;
    // Sends the headers, also if no event comes for a while.
    this.#schedule();
  }

  add(frame: Json): void {
    if (typeof frame !== 'string') return void this.#addPieces(frame.pieces);
    this.#text += frame;
    if (this.#text.length > largestBuffer) this.flush();
    else this.#schedule();
  }

  /** For heartbeats: none is needed while the client has not read the last buffer. */
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

  /** Writes buffers without copying: other readers share them. */
  #addPieces(pieces: readonly Buffer[]): void {
    this.flush();
    for (const piece of pieces) if (!this.#res.destroyed) this.#res.write(piece);
  }

  /**
   * Node keeps the headers while the response is open: as one string if they are written alone, otherwise as 32. The
   * response is not corked, because it would wait for a 'drain' that does not come if the socket buffers less than 64
   * KiB.
   */
  #writeFirst(text: string): void {
    const { socket } = this.#res;
    socket?.cork();
    this.#res.flushHeaders();
    if (text !== '') this.#res.write(text);
    socket?.uncork();
  }

  /** Writes after all settled promises have run, so that their frames share one buffer. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
