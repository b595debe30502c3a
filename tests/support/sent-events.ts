import type { JsonRpcError, StreamResponse } from '@switchyard/protocol';
import { parse, streamResponseSchema } from '@switchyard/protocol/schemas';
import { createParser } from 'eventsource-parser';

/** One server-sent event. */
export class SentEvent {
  /** `id`, with which a stream is resumed behind it. */
  readonly eventId: string;
  /** `data`, as it came. */
  readonly text: string;

  constructor(eventId: string, text: string) {
    this.eventId = eventId;
    this.text = text;
  }

  /** The seq of the event in its task. */
  get id(): number {
    return Number.parseInt(this.eventId, 10);
  }

  /** The A2A StreamResponse: alone as in HTTP+JSON, or as the result of a JSON-RPC response. */
  get data(): StreamResponse {
    const json: { jsonrpc?: string; result?: unknown; error?: JsonRpcError } = JSON.parse(this.text);
    if (json.error) throw new Error(`the stream broke: ${json.error.message}`);
    return parse(streamResponseSchema, json.jsonrpc === undefined ? json : json.result);
  }
}

/** Parses the events of a body in pieces, split anywhere. An incomplete last event is dropped. */
export class SentEventParser {
  readonly #decoder = new TextDecoder();
  readonly #events: SentEvent[] = [];
  readonly #parser = createParser({
    onEvent: ({ id = '', data }) => this.#events.push(new SentEvent(id, data)),
  });

  push(bytes: Uint8Array): SentEvent[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#events.splice(0);
  }
}
