import type { IncomingMessage } from 'node:http';
import { A2AError, type HttpErrorBody, toHttpError } from '@switchyard/protocol';
import type { Json } from '@switchyard/store';
import type { ErrorRequestHandler } from 'express';
import Negotiator from 'negotiator';
import {
  type Exchange,
  type Handler,
  type Refusal,
  reportFailure,
  respond,
  respondUnchanged,
} from '../../exchange/exchange.ts';
import type { StreamItem, UnaryResult } from '../../operations/operation.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import { serveStream } from '../../sse/serve-stream.ts';

/** A2A 11.1 and 14.1.1: ours unless the client asks for the other one. */
const mediaTypes = ['application/a2a+json', 'application/json'];

/** Some clients can read bodies, or errors, only as application/json, and say so in `Accept` (RFC 9110 12.5.1). */
function mediaTypeFor({ headers: { accept } }: IncomingMessage): string {
  if (accept === undefined || accept === '*/*') return 'application/a2a+json';
  return new Negotiator({ headers: { accept } }).mediaType(mediaTypes) ?? 'application/json';
}

/** Writes stored JSON as it is. A task has its version as ETag; a client that has this version gets 304. */
export function writeResult({ req, res }: Exchange, { json, version }: UnaryResult): void {
  // Only the caller may cache it, and must revalidate.
  const headers =
    version === undefined ? [] : ['ETag', `"${version}"`, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept'];
  if (json === undefined) respondUnchanged(res, headers);
  else respond(res, mediaTypeFor(req), json, headers);
}

/** JSON of google.rpc.Status (A2A 11.6). */
function errorBody(error: A2AError): string {
  return JSON.stringify(toHttpError(error).body);
}

export function writeError(context: Refusal, exchange: Exchange, thrown: unknown): void {
  const error = reportFailure(context, exchange, thrown);
  // The connection broke while the body was written: no client reads an answer.
  if (exchange.res.headersSent) return void exchange.res.destroy();
  writeStatus(exchange, toHttpError(error));
}

/** @param allow verbs of the path: the status is 405 (RFC 9110 15.5.6), for which A2A has no error */
function writeWrongVerb(
  context: Refusal,
  exchange: Exchange,
  { error, allow }: { error: A2AError; allow: string },
): void {
  exchange.res.setHeader('Allow', allow);
  const { body } = toHttpError(reportFailure(context, exchange, error));
  writeStatus(exchange, { status: 405, body: { error: { ...body.error, code: 405 } } });
}

function writeStatus({ req, res }: Exchange, { status, body }: { status: number; body: HttpErrorBody }): void {
  res.statusCode = status;
  respond(res, mediaTypeFor(req), JSON.stringify(body));
}

/** A2A 11.7: each event is a StreamResponse as it is stored. */
export function writeStream(
  context: Refusal & { readonly settings: Pick<GatewaySettings, 'heartbeatMs'> },
  exchange: Exchange,
  items: AsyncIterable<StreamItem>,
): Promise<void> {
  return serveStream(exchange.res, items, {
    heartbeatMs: context.settings.heartbeatMs,
    data: asStored,
    error: (thrown) => errorBody(reportFailure(context, exchange, thrown)),
  });
}

const asStored = (json: Json): Json => json;

/** Answers a request with a verb that its path does not have. @param allow its verbs: `GET, POST` */
export function refuseVerb(context: Refusal, allow: string): Handler {
  return (req, res) => {
    const error = new A2AError('MethodNotFound', `${req.method} is not served here; ${allow} is`);
    writeWrongVerb(context, { req, res }, { error, allow });
  };
}

/** Answers a request for an unknown path. */
export function refusePath(context: Refusal): Handler {
  return (req, res) => {
    writeError(context, { req, res }, new A2AError('NotFound', 'Nothing is served at this path'));
  };
}

/** Answers what Express itself refuses, such as a path that cannot be decoded: Express would answer with HTML. */
export function refuseFault(context: Refusal): ErrorRequestHandler {
  return (fault: unknown, req, res, _next) => {
    const error = isClientFault(fault)
      ? new A2AError('InvalidRequest', 'The request could not be read', { cause: fault })
      : fault;
    writeError(context, { req, res }, error);
  };
}

function isClientFault(fault: unknown): boolean {
  const status = fault instanceof Error && 'status' in fault ? Number(fault.status) : 500;
  return status >= 400 && status < 500;
}
