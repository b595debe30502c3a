import type { ServerResponse } from 'node:http';
import { type A2AError, type A2AErrorCode, toJsonRpcError } from '@switchyard/protocol';
import { type Json, wrapped } from '@switchyard/store';
import type { Exchange } from '../../exchange/exchange.ts';
import { reportFailure, respond } from '../../exchange/exchange.ts';
import type { StreamItem, UnaryResult } from '../../operations/operation.ts';
import { serveStream } from '../../sse/serve-stream.ts';
import type { GatewayContext } from '../gateway-context.ts';

/** A2A 9.1. */
const mediaType = 'application/json';

/** The envelope around stored JSON, which is not parsed. @param id JSON text */
function envelope(id: string, result: Json): Json {
  return wrapped(result, `{"jsonrpc":"2.0","id":${id},"result":`, '}');
}

export function writeResult(res: ServerResponse, id: string, { json = 'null' }: UnaryResult): void {
  respond(res, mediaType, envelope(id, json));
}

/** JSON-RPC errors have HTTP status 200, except those that proxies, load balancers and clients with backoff need. */
const httpStatuses: Partial<Record<A2AErrorCode, number>> = {
  Unauthenticated: 401,
  PermissionDenied: 403,
  PayloadTooLarge: 413,
  RateLimited: 429,
  Unavailable: 503,
};

/** @param id JSON text */
function errorEnvelope(id: string, error: A2AError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(toJsonRpcError(error))}}`;
}

export function writeError(
  context: GatewayContext,
  exchange: Exchange,
  { id, thrown }: { id: string; thrown: unknown },
): void {
  const error = reportFailure(context, exchange, thrown);
  exchange.res.statusCode = httpStatuses[error.code] ?? 200;
  respond(exchange.res, mediaType, errorEnvelope(id, error));
}

export interface JsonRpcStream {
  /** JSON text: each event is a response to the same request (A2A 9.4.2). */
  readonly id: string;
  readonly items: AsyncIterable<StreamItem>;
}

export function writeStream(context: GatewayContext, exchange: Exchange, { id, items }: JsonRpcStream): Promise<void> {
  return serveStream(exchange.res, items, {
    heartbeatMs: context.settings.heartbeatMs,
    data: (json) => envelope(id, json),
    error: (thrown) => errorEnvelope(id, reportFailure(context, exchange, thrown)),
  });
}
