import type { JsonRpcError, StreamResponse } from '@switchyard/protocol';
import { parse, streamResponseSchema } from '@switchyard/protocol/schemas';
import { createParser } from 'eventsource-parser';

export class SentEvent {
  /** `id`, after which a stream can be resumed. */
  readonly eventId: string;
  /** `data`, unparsed. */
  readonly text: string;

  constructor(eventId: string, text: string) {
    this.eventId = eventId;
    this.text = text;
  }

  /** The number of the event in its task. */
  get id(): number {
    return Number.parseInt(this.eventId, 10);
  }

  /** The A2A StreamResponse: directly in HTTP+JSON, or the result of a JSON-RPC response. */
  get data(): StreamResponse {
    const json: { jsonrpc?: string; result?: unknown; error?: JsonRpcError } = JSON.parse(this.text);
    if (json.error) throw new Error(`the stream broke: ${json.error.message}`);
    return parse(streamResponseSchema, json.jsonrpc === undefined ? json : json.result);
  }
}

/** Parses the events of a body in pieces, split anywhere. Ignores an incomplete last event. */
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
