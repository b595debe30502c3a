import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { A2AError, toHttpError } from '@switchyard/protocol';
import { Answer } from '../exchange/exchange.ts';
import { type ConnectionLimits, type TlsSettings, tlsOptions } from '../settings/connection-settings.ts';

/**
 * Longer than the 60 s for which load balancers keep idle connections: they must not reuse one that was just closed.
 */
const keepAliveMs = 65_000;

/** Node drops headers beyond its limit in silence: one that a proxy adds last would be among them. */
const mostHeaders = 100;
/** Names and values together, in bytes. */
const mostHeaderBytes = 16 * 1024;
/** Then the answer says `Connection: close`: a client opens another connection, perhaps at another replica. */
const requestsPerConnection = 10_000;
/** How often Node looks for requests that take too long. */
const checkMs = 2_000;

export interface ListenerSettings {
  /** A client that reads nothing of its answer for this long is disconnected. */
  readonly stallMs: number;
  readonly connections: ConnectionLimits;
  /** Unset: plain HTTP. */
  readonly tls?: TlsSettings | undefined;
}

/** The HTTP server. It closes without cutting answers off. */
export class Listener {
  readonly #http: Server;
  readonly #scheme: 'http' | 'https';

  constructor(handler: RequestListener, { stallMs, connections, tls }: ListenerSettings) {
    const options = { ...serverOptions(connections), ServerResponse: Answer };
    this.#scheme = tls ? 'https' : 'http';
    const serve: RequestListener = (req, res) => {
      answers.set(req.socket, res);
      if (req.rawHeaders.length > 2 * mostHeaders) refuse(req.socket, '431 Request Header Fields Too Large');
      else handler(req, res);
    };
    this.#http = tls
      ? createTlsServer({ ...options, ...tlsOptions(tls), handshakeTimeout: connections.headersMs }, serve)
      : createServer(options, serve);
    this.#http.maxRequestsPerSocket = requestsPerConnection;
    // One more than is served, to see that there are more.
    this.#http.maxHeadersCount = mostHeaders + 1;
    this.#http.on('clientError', refuseMalformed);
    // Between two answers Node closes a connection that is silent.
    this.#http.setTimeout(stallMs);
    this.#http.on('request', (_, res) => res.on('timeout', closeIfStalled));
  }

  /** Unset until it is open. */
  get port(): number | undefined {
    const address = this.#http.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  /** @returns its URL. Rejects if it cannot listen, for example because the port is in use. */
  async open(host: string, port: number): Promise<string> {
    this.#http.listen(port, host);
    await once(this.#http, 'listening');
    return urlOf(this.#scheme, this.#http.address());
  }

  /** Takes another certificate, for connections from now on. */
  reload(tls: TlsSettings | undefined): void {
    if (tls && this.#http instanceof TlsServer) this.#http.setSecureContext(tlsOptions(tls));
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

function urlOf(scheme: string, address: AddressInfo | string | null): string {
  if (typeof address === 'string' || address === null) throw new Error('the server does not listen on a port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}

function serverOptions({ headersMs, bodyMs }: ConnectionLimits): ServerOptions {
  return {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: Math.min(headersMs, bodyMs),
    requestTimeout: bodyMs,
    connectionsCheckingInterval: Math.min(checkMs, headersMs),
    maxHeaderSize: mostHeaderBytes,
  };
}

/** The last answer of each connection. */
const answers = new WeakMap<Socket, ServerResponse>();

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Malformed HTTP does not reach the router. */
function refuseMalformed({ code = '' }: Error & { code?: string }, socket: Socket): void {
  // What else fails is the connection itself, or TLS: there is nobody to answer.
  if (!/^(?:HPE|ERR_HTTP)_/.test(code)) return void socket.destroy();
  refuse(socket, statuses[code] ?? '400 Bad Request');
}

/** Answers on the socket, as JSON; in the midst of another answer there is no place for one. */
function refuse(socket: Socket, line: string): void {
  const answer = answers.get(socket);
  const isAnswering = answer?.headersSent === true && !answer.writableFinished;
  if (!socket.writable || isAnswering) return void socket.destroy();
  const { body } = toHttpError(new A2AError('InvalidRequest', 'The request is not valid HTTP, or takes too long'));
  const text = JSON.stringify({ error: { ...body.error, code: Number.parseInt(line, 10) } });
  socket.end(
    `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: application/a2a+json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    // A client that goes on sending would keep the connection half open.
    () => socket.destroySoon(),
  );
}
