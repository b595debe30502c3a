import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseMalformed } from './refuse-malformed.ts';

/** Longer than the 60 s for which load balancers keep idle connections: they must not send into one that we just closed. */
const keepAliveMs = 65_000;

/** The HTTP server: opens, and closes without cutting an answer short. */
export class Listener {
  readonly #http: Server;

  constructor(handler: RequestListener) {
    this.#http = createServer({ keepAliveTimeout: keepAliveMs, headersTimeout: keepAliveMs + 1_000 }, handler);
    this.#http.on('clientError', refuseMalformed);
  }

  /** @returns where it listens. Rejects if it cannot, for example because the port is taken. */
  async open(host: string, port: number): Promise<string> {
    this.#http.listen(port, host);
    await once(this.#http, 'listening');
    return urlOf(this.#http.address());
  }

  /** Takes no more connections; lets requests finish for `drainMs`, then closes theirs too. */
  async close(drainMs: number): Promise<void> {
    if (!this.#http.listening) return;
    const closed = once(this.#http, 'close');
    this.#http.close();
    // A connection that was busy just now becomes idle when its answer is out, and would stay open.
    const sweep = setInterval(() => this.#http.closeIdleConnections(), 20);
    const cut = setTimeout(() => this.#http.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

function urlOf(address: AddressInfo | string | null): string {
  if (typeof address === 'string' || address === null) throw new Error('the server does not listen on a port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
