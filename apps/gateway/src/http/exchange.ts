import type { Request, Response } from 'express';
import type { RequestName } from '../observe/happening.ts';

/** One HTTP request and its response. */
export interface Exchange {
  readonly req: Request;
  readonly res: Response;
}

/** What reports call it. */
export function requestName({ req, res }: Exchange): RequestName {
  return { requestId: String(res.getHeader('X-Request-Id')), method: req.method, path: req.path };
}

/** A part of the path, by the name that the route gives it. */
export function pathPart(req: Request, name: string): string | undefined {
  const part = req.params[name];
  return typeof part === 'string' ? part : undefined;
}

/** A query parameter; the first of those that are given more than once. */
export function queryText(req: Request, name: string): string | undefined {
  const value: unknown = req.query[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

/** The protocol version that the request names (A2A 3.6), as it is. */
export function askedVersion(req: Request): string | undefined {
  const header = req.headers['a2a-version'];
  return typeof header === 'string' ? header : queryText(req, 'A2A-Version');
}
