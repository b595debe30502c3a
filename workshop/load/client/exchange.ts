import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { failed, type Outcome, succeeded } from './outcome.ts';

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  /** With the query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ExchangeOptions {
  readonly request: Outgoing;
  /** By `performance.now()`: after that it has failed. */
  readonly expiresAt: number;
  /** Gets the body of a stream of events piece by piece; the reply then has an empty one. */
  readonly onStream?: (piece: Buffer) => void;
}

/** One request and its answer, as undici reports them: the least that a request can cost. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly request: Outgoing;
  readonly reply: Promise<Outcome<Reply>>;
  expiresAt: number;
  /** Called once when its connection is free again. */
  onFree: () => void = () => undefined;
  readonly #onStream: ((piece: Buffer) => void) | undefined;
  readonly #settle: (outcome: Outcome<Reply>) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #isStream = false;
  readonly #pieces: Buffer[] = [];

  constructor({ request, expiresAt, onStream }: ExchangeOptions) {
    this.request = request;
    this.expiresAt = expiresAt;
    this.#onStream = onStream;
    const { promise, resolve } = Promise.withResolvers<Outcome<Reply>>();
    this.reply = promise;
    this.#settle = resolve;
  }

  /** Ends it with a failure; its connection is closed, since HTTP/1.1 cannot take a request back. */
  abort(kind: string): void {
    this.#settle(failed(kind));
    this.#isAborted = true;
    this.#controller?.abort(new Error(kind));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while its connection was being opened.
    if (this.#isAborted) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#isStream = this.#onStream !== undefined && status === 200 && isEventStream(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isStream) this.#onStream?.(piece);
    else this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    const [only] = this.#pieces;
    const body = this.#pieces.length === 1 ? only?.toString() : Buffer.concat(this.#pieces).toString();
    this.#settle(succeeded({ status: this.#status, headers: this.#headers, body: body ?? '' }));
    this.onFree();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#settle(networkFailure(error));
    this.onFree();
  }
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

/** What the codes of Node and undici mean to whoever reads the report. */
const kinds: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed by the server',
  EPIPE: 'connection closed by the server',
  UND_ERR_SOCKET: 'connection closed by the server',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  EMFILE: 'no more connections here (ulimit -n)',
  EADDRNOTAVAIL: 'no more local ports here',
};

/** A request that got no answer at all. */
function networkFailure(error: unknown): Outcome<never> {
  if (!(error instanceof Error)) return failed('network error', String(error));
  const code = 'code' in error ? String(error.code) : error.name;
  return failed(kinds[code] ?? `network error ${code}`, error.message || code);
}
