import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { A2AError, toHttpError } from '@switchyard/protocol';

/**
 * Longer than the 60 s for which load balancers keep idle connections: they must not reuse one that was just closed.
 */
const keepAliveMs = 65_000;

/** The HTTP server. It closes without cutting answers off. */
export class Listener {
  readonly #http: Server;
  /** @param stallMs a client that reads nothing of its answer for this long is disconnected */
  constructor(handler: RequestListener, stallMs: number) {
    this.#http = createServer({ keepAliveTimeout: keepAliveMs, headersTimeout: keepAliveMs + 1_000 }, handler);
    this.#http.on('clientError', refuseMalformed);
    // Between two answers Node closes a connection that is silent.
    this.#http.setTimeout(stallMs);
    this.#http.on('request', (_, res) => res.on('timeout', closeIfStalled));
  }

  /** @returns its URL. Rejects if it cannot listen, for example because the port is in use. */
  async open(host: string, port: number): Promise<string> {
    this.#http.listen(port, host);
    await once(this.#http, 'listening');
    return urlOf(this.#http.address());
  }

  /** Takes no more connections, and gives requests `drainMs` to finish. */
  async close(drainMs: number): Promise<void> {
    if (!this.#http.listening) return;
    const closed = once(this.#http, 'close');
    this.#http.close();
    // A busy connection becomes idle after its answer, and would stay open.
    const sweep = setInterval(() => this.#http.closeIdleConnections(), 20);
    const cut = setTimeout(() => this.#http.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** A connection may be silent while there is nothing to send. A slow reader is not silent: Node sees its progress. */
function closeIfStalled(this: ServerResponse, socket: Socket): void {
  const isWaiting = !this.writableFinished && socket.writableLength === 0;
  // Set again, since a timeout that has passed does not come a second time.
  if (isWaiting) socket.setTimeout(socket.timeout ?? 0);
  else socket.destroy();
}

function urlOf(address: AddressInfo | string | null): string {
  if (typeof address === 'string' || address === null) throw new Error('the server does not listen on a port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Malformed HTTP does not reach the router: it is answered on the socket, as JSON. */
function refuseMalformed(fault: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || fault.code === 'ECONNRESET') return void socket.destroy();
  const line = statuses[fault.code ?? ''] ?? '400 Bad Request';
  const { body } = toHttpError(new A2AError('InvalidRequest', 'The request is not valid HTTP'));
  const text = JSON.stringify({ error: { ...body.error, code: Number.parseInt(line, 10) } });
  socket.end(
    `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: application/a2a+json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
