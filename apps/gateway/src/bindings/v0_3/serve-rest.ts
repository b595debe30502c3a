import type { IncomingMessage } from 'node:http';
import { legacyRestRouter } from '@a2a-js/sdk/compat/v0_3/server/express';
import {
  A2AError,
  a2aErrorCodes,
  type HttpErrorBody,
  jsonRpcCodes,
  toHttpError,
  toJsonRpcError,
} from '@switchyard/protocol';
import { formatEventId } from '@switchyard/store';
import type { Request, RequestHandler, Response } from 'express';
import {
  disposeOnClose,
  drained,
  type Exchange,
  namedVersion,
  reportFailure,
  requireKnownParameters,
  respond,
} from '../../exchange/exchange.ts';
import { readOptionalJson } from '../../exchange/read-json.ts';
import { legacyVersion, majorMinor } from '../../exchange/service-parameters.ts';
import { errorFrame, heartbeatFrame } from '../event-stream.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { admit, messageLimits } from '../http-call.ts';
import { checkLegacyConfiguration } from '../unknown-configuration.ts';
import { LegacyCaller, openLegacyCall } from './caller.ts';
import { pythonClassOf, WireError } from './errors.ts';
import { createRequestHandler } from './request-handler.ts';

/** Whether a request below `/v1` is for version 0.3: it names no other version. */
export function isLegacyRest({ url = '', headers }: IncomingMessage): boolean {
  const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
  const version = namedVersion({ headers, query });
  return version === undefined || version === '' || majorMinor(version) === legacyVersion;
}

/** A2A 0.3 over REST: below `/v1`, where 1.0 has nothing. Mount it at the base of an agent. */
export function serveLegacyRest(context: GatewayContext): RequestHandler {
  const callers = new WeakMap<Request, LegacyCaller>();
  const translate = legacyRestRouter({
    requestHandler: createRequestHandler(context),
    userBuilder: async (req) => callers.get(req) ?? unopened(),
    contextBuilder: ({ user }) => (user instanceof LegacyCaller ? user.toContext() : unopened()),
  });
  return async (req, res, next) => {
    if (!req.path.startsWith('/v1/')) return next();
    const exchange = { req, res };
    try {
      const caller = await openCaller(context, exchange);
      if (isList(req)) requireKnownParameters(req, []);
      callers.set(req, caller);
      const params = await readParams(context, exchange, caller);
      checkLegacyConfiguration(context.settings, res, params);
      req.body = toPushConfigBody(req, params);
      speakRestDialect(res);
      identifyEvents(res, caller);
      sendHeartbeats(exchange, context.settings.heartbeatMs);
      res.setHeader('Cache-Control', 'no-store');
      translate(req, res, next);
    } catch (thrown) {
      writeLegacyError(context, exchange, thrown);
    }
  };
}

async function openCaller(context: GatewayContext, exchange: Exchange): Promise<LegacyCaller> {
  const admission = await admit(context, exchange);
  return new LegacyCaller(openLegacyCall(context, exchange, { admission }), {
    refuse: (thrown) => new WireError(reportFailure(context, exchange, thrown), 'rest'),
    endWith: (thrown) => {
      if (!exchange.res.headersSent) return false;
      const error = reportFailure(context, exchange, thrown);
      exchange.res.write(errorFrame(JSON.stringify(legacyErrorBody(toJsonRpcError(error)))));
      return true;
    },
    drained: async () => {
      if (exchange.res.writableNeedDrain) await drained(exchange.res);
    },
    hold: (held) => disposeOnClose(exchange.res, held),
    done: () => undefined,
    zeroIsUnset: true,
  });
}

/**
 * Reads the body with the gateway's limit, before the SDK's parser does. Some clients send `null` for no parameters.
 */
async function readParams(context: GatewayContext, exchange: Exchange, { call }: LegacyCaller): Promise<unknown> {
  if (exchange.req.method !== 'POST') return {};
  return readOptionalJson(exchange.req, messageLimits(context, exchange, call.admission));
}

/**
 * The SDK's router writes an event as soon as it receives it, so the caller's current event is its source. Errors have
 * no id.
 */
function identifyEvents(res: Response, caller: LegacyCaller): void {
  const write = res.write.bind(res);
  res.write = (chunk: string) => {
    if (chunk.startsWith('data:')) write(`id: ${formatEventId(caller.position)}\n`);
    return write(chunk);
  };
}

/** Heartbeats are sent between events, each of which is one write. */
function sendHeartbeats({ res }: Exchange, everyMs: number): void {
  const heartbeat = setInterval(() => {
    const isStream = res.headersSent && res.getHeader('Content-Type') === 'text/event-stream';
    if (isStream && res.writable && !res.writableNeedDrain) res.write(heartbeatFrame);
  }, everyMs).unref();
  res.once('close', () => clearInterval(heartbeat));
}

function writeLegacyError(context: GatewayContext, exchange: Exchange, thrown: unknown): void {
  const error = reportFailure(context, exchange, thrown);
  exchange.res.statusCode = toHttpError(error).status;
  respond(exchange.res, 'application/json', JSON.stringify(legacyErrorBody(toJsonRpcError(error))));
}

function unopened(): never {
  throw new TypeError('a request of version 0.3 reached the SDK before it was opened');
}

// Adapts the SDK's router to clients of 0.3 over REST.

/** Answers with 200, because clients treat any other status as an error, and with errors that all clients can read. */
function speakRestDialect(res: Response): void {
  const [status, json] = [res.status.bind(res), res.json.bind(res)];
  res.status = (code) => status(code === 201 ? 200 : code);
  res.json = (body: unknown) => json(res.statusCode >= 400 && isLegacyError(body) ? legacyErrorBody(body) : body);
}

export interface LegacyError {
  readonly code: number;
  readonly message: string;
}

/**
 * Errors of 0.3 are JSON-RPC errors without the envelope. `type` is the class name in the Python SDK, which needs it;
 * the Go SDK reads `error`, the error of 1.0.
 */
function legacyErrorBody({ code, message }: LegacyError): LegacyError & HttpErrorBody & { readonly type: string } {
  const ours = a2aErrorCodes.find((candidate) => jsonRpcCodes[candidate] === code) ?? 'Internal';
  const { error } = toHttpError(new A2AError(ours, message)).body;
  return { code, message, type: pythonClassOf(ours), error };
}

function isLegacyError(body: unknown): body is LegacyError {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}

function isList({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return method === 'GET' && /^\/v1\/tasks(?:\/[^/]+\/pushNotificationConfigs)?$/.test(path);
}

/**
 * The config in a create request. The protobuf definition has `{parent, configId, config}`, which the Python SDKs send;
 * the JavaScript SDK sends only the config, and its router reads nothing else.
 */
function toPushConfigBody(req: Pick<Request, 'path'>, body: unknown): unknown {
  const taskId = /^\/v1\/tasks\/([^/]+)\/pushNotificationConfigs$/.exec(req.path)?.[1];
  if (taskId === undefined || !isRecord(body) || !isRecord(body.config)) return body;
  const { config } = body;
  const settings = config.pushNotificationConfig ?? config.push_notification_config;
  const id = body.configId ?? body.config_id ?? (isRecord(settings) ? settings.id : undefined);
  return { ...config, name: config.name || `tasks/${taskId}/pushNotificationConfigs/${id ?? ''}` };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
