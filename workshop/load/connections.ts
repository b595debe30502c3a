import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';

/** The reason of a failure, as the report counts it. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** The same text for the same kind: `HTTP 503`, `JSON-RPC -32057`, `timeout`. */
  readonly kind: string;
  /** The server's Retry-After. */
  readonly retryAfterMs: number | undefined;

  /** @param example details of one such failure */
  constructor(kind: string, example = kind, retryAfterMs?: number) {
    // Texts of servers are printed on a terminal, so control characters are removed.
    const line = example.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    super(line.length > 300 ? `${line.slice(0, 299)}…` : line);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The result of a request, or its failure: a load test counts failures. */
export function orFailure<T>(request: Promise<T>): Promise<T | Failure> {
  return request.catch((error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });
}

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  /** Including the query. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a stream of events with a listener. */
  readonly body: string;
}

export interface ConnectionSettings {
  readonly origin: string;
  /** Maximum number of connections, each for one request at a time. Opened on demand. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
}

type OnPiece = (piece: Buffer) => void;

/**
 * Connections to one server. A request without a free connection waits, and this time counts: a slow server does not
 * get fewer requests.
 */
export class Connections implements AsyncDisposable {
  readonly #pool: Pool;

  constructor({ origin, connections, connectTimeoutMs }: ConnectionSettings) {
    // Timeouts are measured here, from the time when a request was due.
    const times = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } };
    this.#pool = new Pool(origin, { ...times, connections, pipelining: 1, allowH2: false });
  }

  /**
   * Sends a request. The reply rejects with a `Failure`. `abort` ends it with one, and closes its connection, since
   * HTTP/1.1 cannot take a request back; after `keepOpen` it may take any time.
   * @param expiresAt by `performance.now()`: the time of its timeout  @param onPiece receives a stream of events
   */
  begin(request: Outgoing, expiresAt: number, onPiece?: OnPiece) {
    const controller = new AbortController();
    const { signal } = controller;
    const abort = (kind: string): void => controller.abort(new Failure(kind));
    // A timer of Node can be early by a millisecond.
    const timer = setTimeout(abort, Math.max(1, Math.ceil(expiresAt - performance.now()) + 1), 'timeout');
    // The pool notices the abort only when it is about to send the request.
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    const reply = Promise.race([this.#carryOut(request, signal, onPiece), aborted])
      .catch((error: unknown) => {
        throw inWords(signal.aborted ? signal.reason : error);
      })
      .finally(() => clearTimeout(timer));
    return { reply, abort, keepOpen: () => clearTimeout(timer) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.destroy();
  }

  async #carryOut(request: Outgoing, signal: AbortSignal, onPiece: OnPiece | undefined): Promise<Reply> {
    const sent = { ...request, headers: [...request.headers], signal };
    const { statusCode: status, headers, body } = await this.#pool.request(sent);
    if (!onPiece || status !== 200 || !isEventStream(headers)) return { status, headers, body: await body.text() };
    for await (const piece of body) onPiece(piece);
    return { status, headers, body: '' };
  }
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

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

/** The failure of a request without any answer. */
function inWords(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return new Failure('network error', String(error));
  const code = 'code' in error ? String(error.code) : error.name;
  return new Failure(kinds[code] ?? `network error ${code}`, error.message || code);
}
