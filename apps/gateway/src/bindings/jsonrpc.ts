import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type A2AError, type A2AErrorCode, toJsonRpcError } from '@switchyard/protocol';
import { type Json, wrapped } from '@switchyard/store';
import type { Admission } from '../admission/admission.ts';
import { type Exchange, type Handler, MAX_DROPPED, reportFailure, respond } from '../exchange/exchange.ts';
import { type BodyLimits, parseAnyTexts, readJsonText } from '../exchange/read-json.ts';
import { lastEventIdInMetadata } from '../exchange/service-parameters.ts';
import { type OperationResult, operationFor, runOperation, type UnaryResult } from '../operations/operation.ts';
import { type OperationName, operationNames } from '../operations/operations.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { acceptsOnlyEvents, respondWithError, responseFrame, type ServedStream, serveStream } from './event-stream.ts';
import type { GatewayContext } from './gateway-context.ts';
import { admit, messageLimits, openHttpCall } from './http-call.ts';
import { configured, type JsonRpcRequest, parseRequest, type ReceivedJson } from './jsonrpc-request.ts';
import { checkConfiguration } from './unknown-configuration.ts';

/** Of an unauthenticated request only the id is read, for the error, and only if it has already arrived. */
const UNAUTHENTICATED_MS = 250;

/** Another version of A2A at the same URL. */
export interface OlderVersion {
  readonly methods: readonly string[];
  /** Whether a request is of this version. */
  isSpokenIn(exchange: Exchange, body: unknown): boolean;
  serve(exchange: Exchange, request: AuthenticatedJson): Promise<void>;
}

export interface AuthenticatedJson {
  readonly admission: Admission;
  readonly received: ReceivedJson;
}

/** A2A over JSON-RPC 2.0 (chapter 9): one URL for all operations of an agent. */
export function serveJsonRpc(context: GatewayContext, older?: OlderVersion): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    let id = 'null';
    try {
      const admission = await admitNamed(context, exchange, (named) => {
        id = named;
      });
      const received = await receive(exchange, messageLimits(context, exchange, admission));
      if (older?.isSpokenIn(exchange, received.body)) return await older.serve(exchange, { admission, received });
      const request = parseRequest(received, operationNames, older?.methods);
      id = request.id;
      if (request.isNotification) return await runNotification(context, exchange, { admission, request });
      const answer = await run(context, exchange, { admission, request });
      if (!('items' in answer)) return writeResult(res, id, answer);
      using stream = answer;
      await writeJsonRpcStream(context, exchange, { id, ...stream });
    } catch (thrown) {
      writeRpcError(context, exchange, { id, thrown });
    }
  };
}

async function receive({ req }: Exchange, limits: BodyLimits): Promise<ReceivedJson> {
  const text = await readJsonText(req, limits);
  return { text, body: parseAnyTexts(text) };
}

/**
 * @param onId called with the id of a refused request, for its error
 * @throws {A2AError} Unauthenticated
 */
async function admitNamed(context: GatewayContext, exchange: Exchange, onId: (id: string) => void): Promise<Admission> {
  try {
    return await admit(context, exchange);
  } catch (refusal) {
    if (toA2AError(refusal).code === 'Unauthenticated') onId(await idOf(exchange));
    throw refusal;
  }
}

/** The id in a short, uncompressed body that has already arrived; others are not awaited. */
async function idOf(exchange: Exchange): Promise<string> {
  const { 'content-length': length, 'content-encoding': encoding } = exchange.req.headers;
  if (encoding !== undefined || length === undefined || Number(length) > MAX_DROPPED) return 'null';
  const received = receive(exchange, { maxBytes: MAX_DROPPED, maxValues: MAX_DROPPED })
    .then((each) => parseRequest(each, []).id)
    // An unreadable body has no id; the error is sent anyway.
    .catch(() => 'null');
  return Promise.race([received, setTimeout(UNAUTHENTICATED_MS, 'null', { ref: false })]);
}

interface Received {
  readonly admission: Admission;
  readonly request: JsonRpcRequest<OperationName>;
}

async function run(
  context: GatewayContext,
  exchange: Exchange,
  { admission, request }: Received,
): Promise<OperationResult> {
  if (request.error) throw request.error;
  const { method, params } = request;
  const lastEventId = lastEventIdInMetadata(params);
  checkConfiguration(context.settings, exchange.res, params);
  const call = openHttpCall(context, exchange, { admission, tenant: tenantIn(params), lastEventId });
  return runOperation(operationFor(context, call, method), { call, params });
}

/** Runs a notification: errors are not answered. */
async function runNotification(
  context: GatewayContext,
  exchange: Exchange,
  { admission, request }: Received,
): Promise<void> {
  try {
    const answer = await run(context, exchange, { admission, request: withoutWaiting(request) });
    if ('items' in answer) answer[Symbol.dispose]();
  } catch (thrown) {
    reportFailure(context, exchange, thrown);
  }
  exchange.res.statusCode = 204;
  exchange.res.end();
}

/** A notification does not wait for an outcome. */
function withoutWaiting(request: JsonRpcRequest<OperationName>): JsonRpcRequest<OperationName> {
  if (request.error || request.method !== 'SendMessage') return request;
  return { ...request, params: configured(request.params, { returnImmediately: true }) };
}

function tenantIn(params: object): unknown {
  return 'tenant' in params ? params.tenant : undefined;
}

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

export function writeRpcError(
  context: GatewayContext,
  exchange: Exchange,
  { id, thrown }: { id: string; thrown: unknown },
): void {
  const { req, res } = exchange;
  const error = reportFailure(context, exchange, thrown);
  const [status, json] = [httpStatuses[error.code], errorEnvelope(id, error)];
  // With an error status clients read JSON, also those of a stream.
  if (status === undefined && acceptsOnlyEvents(req)) return void respondWithError(res, responseFrame(json));
  res.statusCode = status ?? 200;
  respond(res, mediaType, json);
}

export interface JsonRpcStream extends ServedStream {
  /** JSON text: each event is a response to the same request (A2A 9.4.2). */
  readonly id: string;
}

export function writeJsonRpcStream(
  context: GatewayContext,
  exchange: Exchange,
  { id, ...stream }: JsonRpcStream,
): Promise<void> {
  return serveStream(exchange.res, stream, {
    heartbeatMs: context.settings.heartbeatMs,
    data: (json) => envelope(id, json),
    errorFrame: (thrown) => responseFrame(errorEnvelope(id, reportFailure(context, exchange, thrown))),
  });
}
