import type { z } from 'zod';
import { errorOf, OperatorError } from './error.ts';
import { readEvents } from './events.ts';

export interface OperatorClientOptions {
  /** URL of the operators' port: `http://127.0.0.1:4100`. */
  readonly url: string;
  /** An operator's key. */
  readonly key: string;
  readonly fetch?: typeof fetch;
  /** Of several deployments behind the gateway: that of all requests, unless an id says another one. */
  readonly deployment?: number | undefined;
  /** Called with the deployment of each answer that says one: there are several. */
  readonly onDeployment?: ((deployment: number) => void) | undefined;
}

/** Query parameters. Lists are separated by commas; undefined values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export interface ConnectionListeners {
  readonly onLost?: () => void;
  readonly onConnected?: () => void;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** A client for the operators' API of a gateway. */
export class OperatorClient {
  readonly #options: OperatorClientOptions;

  constructor(options: OperatorClientOptions) {
    this.#options = options;
  }

  /** That of all requests; unset: the gateway chooses it. */
  get deployment(): number | undefined {
    return this.#options.deployment;
  }

  /**
   * Sends a request, and parses the response.
   * @throws {OperatorError | z.ZodError} the latter if the response has another shape; also errors of `fetch`
   */
  async call<Schema extends z.ZodType>(path: string, schema: Schema, call: Call = {}): Promise<z.output<Schema>> {
    const response = await this.#send(path, call, 'application/json');
    const answer: unknown = response.status === 204 ? undefined : await response.json();
    return schema.parse(answer);
  }

  /** The content at a path. @throws {OperatorError} also errors of `fetch` */
  async file(path: string, call: Call = {}): Promise<Blob> {
    return (await this.#send(path, call, '*/*')).blob();
  }

  /** The events of an action that reports progress. @throws {OperatorError} also errors of `fetch` */
  async *events<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    call: Call = {},
  ): AsyncGenerator<z.output<Schema>> {
    const response = await this.#send(path, call, 'text/event-stream');
    for await (const { data } of readEvents(response)) yield schema.parse(data);
  }

  /**
   * The events at a path, until the signal is aborted. After a lost connection it continues after the last event.
   * @param onLost called when the connection is lost, and after each failed attempt to reconnect
   * @param onConnected called when the gateway has accepted the request; an event may follow much later
   * @throws {OperatorError} the gateway refuses the request
   */
  async *watch<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    { onLost, onConnected, ...call }: Call & ConnectionListeners = {},
  ): AsyncGenerator<z.output<Schema>> {
    let last: string | undefined;
    let waitMs = FIRST_WAIT_MS;
    while (!call.signal?.aborted) {
      try {
        const response = await this.#send(path, call, 'text/event-stream', last);
        onConnected?.();
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
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
    }
  }

  async #send(
    path: string,
    { method = 'GET', query, body, signal }: Call,
    accept: string,
    last?: string,
  ): Promise<Response> {
    const { url, key, fetch: send = fetch, deployment } = this.#options;
    const headers = {
      accept,
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(last !== undefined && { 'last-event-id': last }),
    };
    const response = await send(new URL(path + queryText({ deployment, ...query }), url), {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    const answering = response.headers.get('switchyard-deployment');
    if (answering !== null) this.#options.onDeployment?.(Number(answering));
    return response;
  }
}

/** Whether to retry: the connection was lost, the gateway is restarting, or it is limiting requests. */
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
