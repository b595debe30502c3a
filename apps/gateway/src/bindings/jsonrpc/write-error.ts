import { type A2AError, type A2AErrorCode, toJsonRpcError } from '@switchyard/protocol';
import type { Entrance } from '../../http/entrance.ts';
import type { Exchange } from '../../http/exchange.ts';
import { reportFailure } from '../../http/report-failure.ts';
import { respond } from '../../http/respond.ts';
import { mediaType } from './write-result.ts';

/**
 * JSON-RPC errors travel with HTTP 200, except those that concern whoever carries the request: proxies, load balancers
 * and clients that back off look at the status.
 */
const httpStatuses: Partial<Record<A2AErrorCode, number>> = {
  Unauthenticated: 401,
  PermissionDenied: 403,
  PayloadTooLarge: 413,
  RateLimited: 429,
  Unavailable: 503,
};

/** @param id JSON text */
export function errorEnvelope(id: string, error: A2AError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(toJsonRpcError(error))}}`;
}

export function writeError(
  entrance: Entrance,
  exchange: Exchange,
  { id, thrown }: { id: string; thrown: unknown },
): void {
  const error = reportFailure(entrance, exchange, thrown);
  exchange.res.statusCode = httpStatuses[error.code] ?? 200;
  respond(exchange.res, mediaType, errorEnvelope(id, error));
}
