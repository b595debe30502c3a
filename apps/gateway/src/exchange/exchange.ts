import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { type A2AError, invalidParams } from '@switchyard/protocol';
import type { Json } from '@switchyard/store';
import type { RequestHandler } from 'express';
import type { Emit, RequestName } from '../telemetry/events.ts';
import { failureOf, toA2AError } from '../telemetry/failures.ts';
import { protocolVersion } from './service-parameters.ts';

/** A request with its route's parameters. */
export interface RoutedRequest extends IncomingMessage {
  /** Without the query. */
  readonly path: string;
  /** Path parameters, by name. */
  readonly params: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** One HTTP request and its response. */
export interface Exchange {
  readonly req: RoutedRequest;
  readonly res: ServerResponse;
}

/** Answers a request. The router answers what it throws. */
export type Handler = (req: RoutedRequest, res: ServerResponse) => void | Promise<void>;

/** Which requests a handler answers. */
export interface Route {
  readonly verb: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `:id` is a parameter, `::` a colon. */
  readonly path: string;
  readonly handle: Handler;
  readonly isStream?: boolean;
}

/** By connection: Node creates the object anew each time. */
const certificates = new WeakMap<TLSSocket, PeerCertificate>();

/** The client's certificate, if TLS_CLIENT_CA_FILE has signed it; any other proves nothing. */
export function clientCertificate(socket: Socket): PeerCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = certificates.get(socket) ?? socket.getPeerCertificate();
  certificates.set(socket, certificate);
  return certificate;
}

const problems = new WeakMap<TLSSocket, string>();

/** What OpenSSL's codes mean for the owner of a client certificate. */
const problemTexts: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  INVALID_PURPOSE: 'its extended key usage does not allow it for clients',
};

/** Why TLS has not verified the client's certificate; undefined: it has, or there is none. */
export function certificateProblem(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || socket.authorized || !socket.authorizationError) return undefined;
  const known = problems.get(socket);
  if (known !== undefined) return known || undefined;
  const code = String(socket.authorizationError);
  const text = problemTexts[code] ?? `no authority that this gateway trusts has signed it (${code})`;
  const problem = 'raw' in socket.getPeerCertificate() ? text : '';
  problems.set(socket, problem);
  return problem || undefined;
}

/** A parameter of the path. */
export function pathPart(req: RoutedRequest, name: string): string | undefined {
  const part = req.params[name];
  return typeof part === 'string' ? part : undefined;
}

/** A query parameter; if it is repeated, the first. */
export function queryText(req: Pick<RoutedRequest, 'query'>, name: string): string | undefined {
  const value: unknown = req.query[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

/** All query parameters but the version, which any request may have. A repeated one is a list. */
export function parametersOf({ query }: Pick<RoutedRequest, 'query'>): [name: string, value: unknown][] {
  return Object.entries(query).filter(([name]) => !isVersionName(name));
}

/**
 * For lists: a filter that is ignored, for example because it is misspelled, would be answered with too much.
 * @throws {A2AError} InvalidParams
 */
export function requireKnownParameters(req: Pick<RoutedRequest, 'query'>, names: readonly string[]): void {
  const unknown = parametersOf(req).filter(([name]) => !names.includes(name));
  if (unknown.length === 0) return;
  const description = names.length > 0 ? `is not known; known: ${names.join(', ')}` : 'is not known';
  throw invalidParams(unknown.slice(0, MAX_NAMED).map(([name]) => ({ field: name.slice(0, 64), description })));
}

const MAX_NAMED = 10;

/** The protocol version of the request (A2A 3.6), not validated. */
export function namedVersion(req: Pick<RoutedRequest, 'headers' | 'query'>): string | undefined {
  const header = req.headers['a2a-version'];
  if (typeof header === 'string') return header;
  // Case-insensitive, like the header.
  const name = Object.keys(req.query).find(isVersionName);
  return name && queryText(req, name);
}

function isVersionName(name: string): boolean {
  return name.toLowerCase() === 'a2a-version';
}

/** The id that `beginExchange` gave the request. */
export function requestIdIn(res: ServerResponse): string {
  return res instanceof ServedResponse ? (res.requestId ?? '') : String(res.getHeader('X-Request-Id'));
}

/** The name of the request in logs. */
export function requestName({ req, res }: Exchange): RequestName {
  return { requestId: requestIdIn(res), method: req.method ?? '', path: req.path };
}

/** Where the request came from, for the audit trail. */
export function sourceOf(exchange: Exchange): { readonly requestId: string; readonly address: string | undefined } {
  return { requestId: requestIdIn(exchange.res), address: exchange.req.socket.remoteAddress };
}

/** A client's request id that is safe in log lines and headers. */
const saneId = /^[\w.:/+=@-]{1,128}$/;

/** Prefix of the request ids of this process. */
const processName = randomBytes(9).toString('base64url');
let lastNumber = 0;

/** Gives the request an id, sets the headers of every response, and emits its end. */
export function beginExchange(emit: Emit, { req, res }: Exchange): void {
  const requestId = requestIdOf(req.headers['x-request-id']);
  if (res instanceof ServedResponse) res.requestId = requestId;
  else setCommonHeaders(requestId, res);
  // Bodies of other methods are not read.
  if (req.method !== 'POST') leaveUnread(req, res);
  const startedAt = performance.now();
  res.on('close', () => {
    const durationMs = Math.round(performance.now() - startedAt);
    emit({ kind: 'answered', status: res.statusCode, durationMs, ...requestName({ req, res }) });
  });
}

/** Express replaces the prototype of every response. */
function setCommonHeaders(requestId: string, res: ServerResponse): void {
  const common = commonHeaders(requestId, res);
  for (let i = 0; i < common.length; i += 2) res.setHeader(common[i] ?? '', common[i + 1] ?? '');
}

/** As `beginExchange`, for every request through Express. */
export function beginEachExchange(emit: Emit): RequestHandler {
  return (req, res, next) => {
    beginExchange(emit, { req, res });
    next();
  };
}

/** The client's id if it is safe, otherwise a new one. */
export function requestIdOf(named: unknown): string {
  return typeof named === 'string' && saneId.test(named) ? named : `${processName}-${++lastNumber}`;
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Name, value, name, value, … `nosniff` and the policy keep browsers from showing a response as a page. */
const ofEvery: readonly string[] = [
  'A2A-Version',
  protocolVersion,
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
];
const ofTls: readonly string[] = ['Strict-Transport-Security', 'max-age=31536000'];

/** The headers of every response. */
function commonHeaders(requestId: string, res: ServerResponse): string[] {
  const common = ['X-Request-Id', requestId, ...ofEvery];
  if (res.socket instanceof TLSSocket) common.push(...ofTls);
  return common;
}

/** A response with the headers of every response. Setting them one by one would take Node twice the time. */
export class ServedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Unset until the exchange has begun. */
  requestId: string | undefined;
  /** Whether this is the last response of its connection. Unset: no. */
  isLast: (() => boolean) | undefined;

  /** Node also calls it if no handler did. A list of headers is the cheapest, if none was set before. */
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    if (this.isLast?.()) this.shouldKeepAlive = false;
    if (this.requestId !== undefined) {
      const common = commonHeaders(this.requestId, this);
      // `concat` allocates once. Values in lists of headers are texts: it would flatten others.
      if (Array.isArray(reason) && this.getHeaderNames().length === 0)
        return super.writeHead(status, common.concat(reason as string[]));
      for (let i = 0; i < common.length; i += 2) this.#setUnlessSet(common[i], common[i + 1]);
    }
    return typeof reason === 'string' ? super.writeHead(status, reason, headers) : super.writeHead(status, reason);
  }

  #setUnlessSet(name = '', value = ''): void {
    if (!this.hasHeader(name)) this.setHeader(name, value);
  }
}

/** Sends the body unchanged. (Express' `send` would parse types and hash the body for an ETag.) */
export function respond(res: ServerResponse, contentType: string, body: Json, headers: readonly string[] = []): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const all = [...headers, 'Content-Type', contentType, 'Content-Length', String(length)];
  if (mayBeStored(res, headers)) all.push('Cache-Control', 'no-store');
  beginResponse(res, all);
  if (typeof body === 'string') return void res.end(body);
  disposeOnClose(res, body.retain());
  res.cork();
  for (const piece of body.pieces) res.write(piece);
  res.end();
}

/** Shared caches store an answer to GET that does not forbid it, and do not know that `X-API-Key` is a credential. */
function mayBeStored(res: ServerResponse, headers: readonly string[]): boolean {
  return res.req.method !== 'POST' && !headers.includes('Cache-Control') && !res.hasHeader('Cache-Control');
}

/** @param headers name, value, name, value, … */
function beginResponse(res: ServerResponse, headers: string[]): void {
  if (res.getHeaderNames().length === 0) return void res.writeHead(res.statusCode, headers);
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2);
    if (name === 'Vary') res.appendHeader(name, value);
    else res.setHeader(name, value);
  }
}

/** Disposes of `held` when the client has the whole response, or has disconnected. */
export function disposeOnClose(res: ServerResponse, held: Disposable): void {
  if (res.closed) held[Symbol.dispose]();
  else res.once('close', () => held[Symbol.dispose]());
}

/** 304: the client has this version (RFC 9110 15.4.5). */
export function respondUnchanged(res: ServerResponse, headers: string[] = []): void {
  res.statusCode = 304;
  beginResponse(res, headers);
  res.end();
}

/** Event of a response whose client reads nothing, and will be disconnected. */
export const STALLED = 'stalled';

/** Resolves when the client has read enough, has disconnected, or reads nothing. */
export function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done).off(STALLED, done);
      resolve();
    };
    res.on('drain', done).on('close', done).on(STALLED, done);
  });
}

/** Node reads and drops up to this much of a body, so that the connection can be reused. */
export const MAX_DROPPED = 64 * 1024;

/** How long a client may take to read its response before the connection is closed. */
const LINGER_MS = 250;

/**
 * Call it before a response that does not need the body: a large body that has not arrived is not read, and the
 * connection is closed after the response.
 */
export function leaveUnread(req: IncomingMessage, res: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = req.headers;
  if (req.complete || (transfer === undefined && Number(length) <= MAX_DROPPED)) return;
  res.setHeader('Connection', 'close');
  const { socket } = req;
  // Node would close the connection at once: a client that is still sending would lose the response.
  socket.destroySoon = () => {
    socket.end();
    socket.pause();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/** What is needed to report a failed request. */
export interface FailureContext {
  readonly emit: Emit;
}

/** Converts a thrown value to the error for the client, sets its headers and logs it. */
export function reportFailure({ emit }: FailureContext, exchange: Exchange, thrown: unknown): A2AError {
  const { res } = exchange;
  const error = toA2AError(thrown);
  emit({ ...failureOf(error), ...requestName(exchange) });
  if (res.headersSent) return error;
  leaveUnread(exchange.req, res);
  if (error.challenges.length > 0) res.setHeader('WWW-Authenticate', error.challenges);
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
  return error;
}
