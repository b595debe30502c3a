import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { StreamResponse } from '@switchyard/protocol';
import { type SentEvent, SentEventParser } from './sent-events.ts';

export interface StreamRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Resumes after this event. */
  readonly lastEventId?: number | string;
  /** Destroys the socket after this many bytes of the body, wherever that is. */
  readonly cutAfterBytes?: number;
}

/** Opens a stream of server-sent events; resolves with the headers of the response. */
export async function openEventStream(url: string, options: StreamRequest = {}): Promise<EventStream> {
  const { method = 'GET', body, lastEventId, cutAfterBytes = Number.POSITIVE_INFINITY } = options;
  const headers = {
    accept: 'text/event-stream',
    ...(body && { 'content-type': 'application/json' }),
    ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    ...options.headers,
  };
  const sent = request(url, { method, headers, agent: false });
  sent.end(body && JSON.stringify(body));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response) throw new Error('there is no response');
  return new EventStream(response, cutAfterBytes);
}

/**
 * A stream of events, to be read once, as a whole or in parts. It ends where the server ends it or where it is cut; a
 * connection that breaks otherwise makes it throw.
 */
export class EventStream implements AsyncIterable<SentEvent> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #response: IncomingMessage;
  readonly #events: AsyncGenerator<SentEvent, void>;
  #isCut = false;

  constructor(response: IncomingMessage, cutAfterBytes: number) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#response = response;
    this.#events = this.#read(cutAfterBytes);
  }

  /** Whether it was cut rather than ended by the server. */
  get isCut(): boolean {
    return this.#isCut;
  }

  [Symbol.asyncIterator](): AsyncGenerator<SentEvent, void> {
    return this.#events;
  }

  /** Destroys the socket. */
  cut(): void {
    this.#isCut = true;
    this.#response.destroy();
  }

  /** The events up to and including the first match; throws if there is none. */
  async until(fits: (data: StreamResponse) => boolean): Promise<SentEvent[]> {
    const events: SentEvent[] = [];
    for (;;) {
      const { done, value } = await this.#events.next();
      if (done) throw new Error(`the stream ended before the awaited event; it had ${events.length} others`);
      events.push(value);
      if (fits(value.data)) return events;
    }
  }

  /** All remaining events. */
  rest(): Promise<SentEvent[]> {
    return Array.fromAsync(this.#events);
  }

  async *#read(cutAfterBytes: number): AsyncGenerator<SentEvent, void> {
    const parser = new SentEventParser();
    let left = cutAfterBytes;
    try {
      for await (const chunk of this.#response) {
        yield* parser.push(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) this.cut();
        if (this.#isCut) return;
      }
    } catch (error) {
      if (!this.#isCut) throw error;
    }
  }
}
