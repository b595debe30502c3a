import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';

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

/** Answers a request. Does not reject: errors are answered, too. */
export type Handler = (req: RoutedRequest, res: ServerResponse) => void | Promise<void>;

/** Which requests a handler answers. */
export interface Route {
  readonly verb: 'GET' | 'POST' | 'DELETE';
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

/** The protocol version of the request (A2A 3.6), not validated. */
export function namedVersion(req: Pick<RoutedRequest, 'headers' | 'query'>): string | undefined {
  const header = req.headers['a2a-version'];
  if (typeof header === 'string') return header;
  // Case-insensitive, like the header.
  const name = Object.keys(req.query).find((each) => each.toLowerCase() === 'a2a-version');
  return name && queryText(req, name);
}
