import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';
import { failed, notSent, type Outcome, succeeded } from './outcome.ts';

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
  /** Empty if it was a stream of events that somebody listens to. */
  readonly body: string;
}

export interface Exchange {
  readonly reply: Promise<Outcome<Reply>>;
  /** Ends it with a failure; its connection is closed, since HTTP/1.1 cannot take a request back. */
  abort(kind: string): void;
  /** It may take any time from now on. */
  keepOpen(): void;
}

export interface ConnectionSettings {
  readonly origin: string;
  /** Most connections, each for one request at a time. Opened on demand. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Called with how long each request waited for a free connection, in milliseconds. */
  readonly onSent: (waitedMs: number) => void;
}

type OnPiece = (piece: Buffer) => void;

/**
 * Connections to one server. A request without a free one waits, and the wait is part of its time: a slow server does
 * not get fewer requests.
 */
export class Connections implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #onSent: (waitedMs: number) => void;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  #free: number;

  constructor({ origin, connections, connectTimeoutMs, onSent }: ConnectionSettings) {
    // Times are kept here, from the moment at which a request should have been sent.
    const times = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } };
    this.#pool = new Pool(origin, { ...times, connections, pipelining: 1, allowH2: false });
    this.#free = connections;
    this.#onSent = onSent;
  }

  /** @param expiresAt by `performance.now()`: after that it has failed  @param onPiece gets a stream of events */
  begin(request: Outgoing, expiresAt: number, onPiece?: OnPiece): Exchange {
    const controller = new AbortController();
    const { signal } = controller;
    const abort = (kind: string): void => controller.abort(new GivenUp(kind));
    // A timer of Node may be early by a millisecond.
    const timer = setTimeout(abort, Math.max(1, Math.ceil(expiresAt - performance.now()) + 1), 'timeout');
    const reply = this.#carryOut(request, signal, onPiece)
      .then(succeeded, (error: unknown) => failureOf(signal.aborted ? signal.reason : error))
      .finally(() => clearTimeout(timer));
    return { reply, abort, keepOpen: () => clearTimeout(timer) };
  }

  /** Takes back what was not sent yet. */
  dropWaiting(): void {
    for (const turn of this.#waiting) turn.reject(new GivenUp(notSent));
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dropWaiting();
    await this.#pool.destroy();
  }

  async #carryOut(request: Outgoing, signal: AbortSignal, onPiece: OnPiece | undefined): Promise<Reply> {
    await this.#turn(signal);
    try {
      const sent = { ...request, headers: [...request.headers], signal };
      const { statusCode: status, headers, body } = await this.#pool.request(sent);
      if (!onPiece || status !== 200 || !isEventStream(headers)) return { status, headers, body: await body.text() };
      for await (const piece of body) onPiece(piece);
      return { status, headers, body: '' };
    } finally {
      const [next] = this.#waiting;
      if (next) this.#waiting.delete(next);
      if (next) next.resolve();
      else this.#free++;
    }
  }

  /** Resolves when a connection is free for it. */
  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      this.#onSent(0);
      return;
    }
    const since = performance.now();
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn);
    signal.addEventListener('abort', () => this.#waiting.delete(turn) && turn.reject(signal.reason), { once: true });
    await turn.promise;
    this.#onSent(performance.now() - since);
  }
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

/** The request was given up; the message is the kind of failure. */
class GivenUp extends Error {}

/** The error codes of Node and undici in words, for the report. */
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
function failureOf(error: unknown): Outcome<never> {
  if (error instanceof GivenUp) return failed(error.message);
  if (!(error instanceof Error)) return failed('network error', String(error));
  const code = 'code' in error ? String(error.code) : error.name;
  return failed(kinds[code] ?? `network error ${code}`, error.message || code);
}
