import { Pool } from 'undici';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { notSent } from './outcome.ts';

/**
 * How often it is looked for requests whose time is up, in milliseconds: so much later than they should they are told.
 */
const EXPIRY_EVERY_MS = 25;

export interface ConnectionSettings {
  readonly origin: string;
  /** At most so many at once, each for one request at a time. Opened when they are needed. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Told of each request how long it waited for a free connection, in milliseconds. */
  readonly onSent?: (waitedMs: number) => void;
}

/**
 * Connections to one server. A request that finds none free waits, and its time runs on: a server that is slow to
 * answer is not asked less often, and the wait is part of what is measured.
 */
export class Connections implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #onSent: (waitedMs: number) => void;
  readonly #waiting = new Map<Exchange, number>();
  readonly #sent = new Set<Exchange>();
  readonly #expiry: NodeJS.Timeout;
  #free: number;

  constructor({ origin, connections, connectTimeoutMs, onSent = () => undefined }: ConnectionSettings) {
    // Times are kept here, from the moment at which a request should have been sent.
    const times = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } };
    this.#pool = new Pool(origin, { ...times, connections, pipelining: 1, allowH2: false });
    this.#free = connections;
    this.#onSent = onSent;
    this.#expiry = setInterval(() => this.#expire(performance.now()), EXPIRY_EVERY_MS).unref();
  }

  begin(options: ExchangeOptions): Exchange {
    const exchange = new Exchange(options);
    exchange.onFree = () => this.#onFree(exchange);
    if (this.#free > 0) this.#send(exchange, 0);
    else this.#waiting.set(exchange, performance.now());
    return exchange;
  }

  /** Takes back what was not sent yet. */
  dropWaiting(): void {
    for (const exchange of this.#waiting.keys()) exchange.abort(notSent);
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#expiry);
    this.dropWaiting();
    await this.#pool.destroy();
  }

  #send(exchange: Exchange, waitedMs: number): void {
    this.#free--;
    this.#sent.add(exchange);
    this.#onSent(waitedMs);
    const { method, path, headers, body } = exchange.request;
    this.#pool.dispatch({ method, path, headers: headers as string[], ...(body !== undefined && { body }) }, exchange);
  }

  #onFree(exchange: Exchange): void {
    this.#sent.delete(exchange);
    this.#free++;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next[0]);
    this.#send(next[0], performance.now() - next[1]);
  }

  #expire(now: number): void {
    for (const exchange of this.#waiting.keys()) {
      if (exchange.expiresAt > now) continue;
      this.#waiting.delete(exchange);
      exchange.abort('timeout');
    }
    for (const exchange of this.#sent) if (exchange.expiresAt <= now) exchange.abort('timeout');
  }
}
