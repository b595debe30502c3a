import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { A2AError, toHttpError } from '@switchyard/protocol';
import { urlHost } from '@switchyard/settings';
import { settleHost } from '../exchange/addresses.ts';
import { ServedResponse, STALLED } from '../exchange/exchange.ts';
import { type ConnectionLimits, type TlsSettings, tlsOptions } from '../settings/connection-settings.ts';

/**
 * Longer than the 60 s for which load balancers keep idle connections, so that they do not reuse one that was just
 * closed.
 */
const keepAliveMs = 65_000;

/** Node silently drops headers beyond its limit, for example one that a proxy adds last. */
const maxHeaders = 100;
/** Names and values together, in bytes. */
const maxHeaderBytes = 16 * 1024;
/**
 * After this many requests the response has `Connection: close`, and the client reconnects, perhaps to another replica.
 */
const requestsPerConnection = 10_000;
/** Interval of Node's check for slow requests. */
const checkMs = 2_000;

export interface ListenerSettings {
  /** A client that reads nothing of its response for this long is disconnected. */
  readonly stallMs: number;
  /** Called before that: ends the stream in the response with its reason. */
  readonly onStalled?: (res: ServerResponse) => void;
  readonly connections: ConnectionLimits;
  /** Unset: plain HTTP. */
  readonly tls?: TlsSettings | undefined;
}

/** The HTTP server. It stops gracefully. */
export class Listener {
  readonly #http: Server;
  readonly #scheme: 'http' | 'https';
  #isClosing = false;

  constructor(handler: RequestListener, { stallMs, onStalled, connections, tls }: ListenerSettings) {
    const options = { ...serverOptions(connections), ServerResponse: ServedResponse };
    this.#scheme = tls ? 'https' : 'http';
    // Otherwise a client would send its next request on the connection, and lose it.
    const isLast = (): boolean => this.#isClosing;
    const serve: RequestListener = (req, res) => {
      answers.set(req.socket, res);
      // Node drops what is pipelined behind a request with Upgrade: the client would take a later answer for its own.
      if (res instanceof ServedResponse) res.isLast = req.headers.upgrade === undefined ? isLast : always;
      if (req.rawHeaders.length > 2 * maxHeaders) refuse(req.socket, tooManyHeaders);
      else if (settleHost(req)) handler(req, res);
      else refuse(req.socket, wrongHost);
    };
    this.#http = tls
      ? createTlsServer({ ...options, ...tlsOptions(tls), handshakeTimeout: connections.headersMs }, serve)
      : createServer(options, serve);
    this.#http.maxRequestsPerSocket = requestsPerConnection;
    // One more than allowed, to detect that there are more.
    this.#http.maxHeadersCount = maxHeaders + 1;
    this.#http.on('clientError', refuseMalformed);
    // Node closes a connection that is idle between two responses.
    this.#http.setTimeout(stallMs);
    const close = closingIfStalled(onStalled);
    this.#http.on('request', (_, res) => res.on('timeout', close));
  }

  /** Unset until it listens. */
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

  /** Replaces the certificate for new connections. */
  reload(tls: TlsSettings | undefined): void {
    if (tls && this.#http instanceof TlsServer) this.#http.setSecureContext(tlsOptions(tls));
  }

  /** Refuses new connections, and gives requests `drainMs` to finish. */
  async close(drainMs: number): Promise<void> {
    if (!this.#http.listening) return;
    this.#isClosing = true;
    const closed = once(this.#http, 'close');
    this.#http.close();
    // A busy connection becomes idle after its response, and would stay open.
    const sweep = setInterval(() => this.#http.closeIdleConnections(), 20);
    const cut = setTimeout(() => this.#http.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** How long a client that reads again may take to read the rest of its stream, which ends with the reason. */
const LAST_WORDS_MS = 1_000;

/** A connection may be silent while there is nothing to send. For a slow reader Node sees progress. */
function closingIfStalled(onStalled: ListenerSettings['onStalled']) {
  return function closeIfStalled(this: ServerResponse, socket: Socket): void {
    const isWaiting = !this.writableFinished && socket.writableLength === 0;
    // Set again, because a timeout fires only once.
    if (isWaiting) return void socket.setTimeout(socket.timeout ?? 0);
    if (!onStalled || this.writableEnded) return void socket.destroy();
    onStalled(this);
    this.emit(STALLED);
    setTimeout(() => this.writableFinished || socket.destroy(), LAST_WORDS_MS).unref();
  };
}

function urlOf(scheme: string, address: AddressInfo | string | null): string {
  if (typeof address === 'string' || address === null) throw new Error('the server does not listen on a port');
  return `${scheme}://${urlHost(address.address)}:${address.port}`;
}

function serverOptions({ headersMs, bodyMs }: ConnectionLimits): ServerOptions {
  return {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: Math.min(headersMs, bodyMs),
    requestTimeout: bodyMs,
    connectionsCheckingInterval: Math.min(checkMs, headersMs),
    maxHeaderSize: maxHeaderBytes,
  };
}

const always = (): boolean => true;

/** The last response of each connection. */
const answers = new WeakMap<Socket, ServerResponse>();

/** The status line of an answer, and its message. */
type Refusal = readonly [line: string, message: string];

const tooManyHeaders: Refusal = [
  '431 Request Header Fields Too Large',
  'The request has too many or too large headers',
];
const wrongHost: Refusal = ['400 Bad Request', 'The header Host is missing, is repeated, or names no host'];
const malformed: Refusal = ['400 Bad Request', 'The request is not valid HTTP'];

/** By the code of Node's error. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: tooManyHeaders,
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request was not complete in time'],
  HPE_INVALID_METHOD: ['400 Bad Request', 'The request does not begin with a method of HTTP that is known here'],
};

/** Malformed HTTP does not reach the router. */
function refuseMalformed({ code = '' }: Error & { code?: string }, socket: Socket): void {
  // Other errors concern the connection or TLS: nobody can be answered.
  if (!/^(?:HPE|ERR_HTTP)_/.test(code)) return void socket.destroy();
  refuse(socket, refusals[code] ?? malformed);
}

/** Answers on the socket, as JSON; not in the middle of another response. */
function refuse(socket: Socket, [line, message]: Refusal): void {
  const answer = answers.get(socket);
  const isAnswering = answer?.headersSent === true && !answer.writableFinished;
  if (!socket.writable || isAnswering) return void socket.destroy();
  const { body } = toHttpError(new A2AError('InvalidRequest', message));
  const text = JSON.stringify({ error: { ...body.error, code: Number.parseInt(line, 10) } });
  socket.end(
    `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: application/a2a+json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    // A client that keeps sending would keep the connection half open.
    () => socket.destroySoon(),
  );
}
