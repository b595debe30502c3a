import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestName } from '../observe/happening.ts';

/** A request whose route is found: by Express, or before it (see direct-routes.ts). */
export interface RoutedRequest extends IncomingMessage {
  /** Without the query. */
  readonly path: string;
  /** Parts of the path, by the names that the route gives them. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** One HTTP request and its response. */
export interface Exchange {
  readonly req: RoutedRequest;
  readonly res: ServerResponse;
}

/** Answers a request, whatever comes of it: it does not reject. */
export type Handler = (req: RoutedRequest, res: ServerResponse) => Promise<void>;

/** What reports call it. */
export function requestName({ req, res }: Exchange): RequestName {
  return { requestId: String(res.getHeader('X-Request-Id')), method: req.method ?? '', path: req.path };
}

/** A part of the path. */
export function pathPart(req: RoutedRequest, name: string): string | undefined {
  const part = req.params[name];
  return typeof part === 'string' ? part : undefined;
}

/** A query parameter; the first of those that are given more than once. */
export function queryText(req: RoutedRequest, name: string): string | undefined {
  const value: unknown = req.query[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

/** The protocol version that the request names (A2A 3.6), as it is. */
export function askedVersion(req: RoutedRequest): string | undefined {
  const header = req.headers['a2a-version'];
  if (typeof header === 'string') return header;
  // As in a header, its case does not matter.
  const name = Object.keys(req.query).find((each) => each.toLowerCase() === 'a2a-version');
  return name && queryText(req, name);
}
