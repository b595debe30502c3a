import type { z } from 'zod';
import { errorOf, OperatorError } from './error.ts';
import { readEvents } from './events.ts';

export interface OperatorClientOptions {
  /** Of the operators' port: `http://127.0.0.1:4100`. */
  readonly url: string;
  /** Of an operator. */
  readonly key: string;
  readonly fetch?: typeof fetch;
}

/** Text is sent as a query parameter; undefined is not sent, a list with commas. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Talks to the operators' API of a gateway. */
export class OperatorClient {
  readonly #options: OperatorClientOptions;

  constructor(options: OperatorClientOptions) {
    this.#options = options;
  }

  /** @throws {OperatorError}, and what `fetch` throws; z.ZodError if the answer has another shape */
  async call<Schema extends z.ZodType>(path: string, schema: Schema, call: Call = {}): Promise<z.output<Schema>> {
    const response = await this.#send(path, call, 'application/json');
    return schema.parse(response.status === 204 ? undefined : await response.json());
  }

  /** The events of an answer, once: those of an action with progress. @throws {OperatorError}, and what `fetch` throws */
  async *events<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    call: Call = {},
  ): AsyncGenerator<z.output<Schema>> {
    const response = await this.#send(path, call, 'text/event-stream');
    for await (const { data } of readEvents(response)) yield schema.parse(data);
  }

  /**
   * What changes at a path. Goes on where it was after a lost connection, until the signal says stop.
   * @param onLost called when the connection is lost, and before each new try
   * @throws {OperatorError} where the gateway refuses it
   */
  async *watch<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    { onLost, ...call }: Call & { readonly onLost?: () => void } = {},
  ): AsyncGenerator<z.output<Schema>> {
    let last: string | undefined;
    let waitMs = FIRST_WAIT_MS;
    while (!call.signal?.aborted) {
      try {
        const response = await this.#send(path, call, 'text/event-stream', last);
        for await (const { id, data } of readEvents(response)) {
          last = id ?? last;
          waitMs = FIRST_WAIT_MS;
          yield schema.parse(data);
        }
      } catch (error) {
        if (call.signal?.aborted) return;
        if (!isRetryable(error)) throw error;
      }
      onLost?.();
      await pause(waitMs, call.signal);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }

  async #send(
    path: string,
    { method = 'GET', query, body, signal }: Call,
    accept: string,
    last?: string,
  ): Promise<Response> {
    const { url, key, fetch: send = fetch } = this.#options;
    const headers = {
      accept,
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(last !== undefined && { 'last-event-id': last }),
    };
    const response = await send(new URL(path + queryText(query), url), {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

/** A lost connection, a gateway that starts again, or one that wants fewer calls. */
function isRetryable(error: unknown): boolean {
  if (error instanceof OperatorError) return error.status >= 500 || error.status === 429;
  return error instanceof TypeError;
}

function queryText(query: Query = {}): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) text.set(name, String(value));
  return text.size > 0 ? `?${text}` : '';
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
