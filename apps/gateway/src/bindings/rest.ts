import type { IncomingMessage } from 'node:http';
import { A2AError, type HttpErrorBody, toHttpError, wrongFields } from '@switchyard/protocol';
import type { ErrorRequestHandler } from 'express';
import Negotiator from 'negotiator';
import {
  type Exchange,
  type FailureContext,
  type Handler,
  parametersOf,
  pathPart,
  queryText,
  type Route,
  type RoutedRequest,
  reportFailure,
  respond,
  respondUnchanged,
} from '../exchange/exchange.ts';
import { readOptionalJson } from '../exchange/read-json.ts';
import { type OperationResult, operationFor, runOperation, type UnaryResult } from '../operations/operation.ts';
import type { OperationName } from '../operations/operations.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { errorFrame, type ServedStream, serveStream } from './event-stream.ts';
import type { GatewayContext } from './gateway-context.ts';
import { admit, messageLimits, openHttpCall } from './http-call.ts';
import { checkConfiguration } from './unknown-configuration.ts';

/** The HTTP request of an operation. */
interface OperationRoute extends RequestShape {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  /** Below the base of an agent: `::` is a colon, `:id` a parameter, `:id(^.+)` one that is followed by more. */
  readonly path: string;
  readonly operation: OperationName;
}

const configs = '/tasks/:taskId/pushNotificationConfigs';
const config = `${configs}/:id`;

/** A2A 11.3. `:subscribe` is a POST in 5.3 and a GET in the protobuf definition: both are served. */
export const routes: readonly OperationRoute[] = [
  { verb: 'POST', path: '/message::send', operation: 'SendMessage', hasBody: true },
  { verb: 'POST', path: '/message::stream', operation: 'SendStreamingMessage', hasBody: true },
  { verb: 'POST', path: '/tasks/:id(^.+)::cancel', operation: 'CancelTask', inPath: ['id'], hasBody: true },
  { verb: 'POST', path: '/tasks/:id(^.+)::subscribe', operation: 'SubscribeToTask', inPath: ['id'], hasBody: true },
  {
    verb: 'GET',
    path: '/tasks/:id(^.+)::subscribe',
    operation: 'SubscribeToTask',
    inPath: ['id'],
    inQuery: ['tenant'],
  },
  {
    verb: 'GET',
    path: '/tasks/:id',
    operation: 'GetTask',
    inPath: ['id'],
    inQuery: ['tenant', 'historyLength', 'currentGeneration'],
  },
  { verb: 'GET', path: '/tasks', operation: 'ListTasks', inQuery: 'all' },
  { verb: 'POST', path: configs, operation: 'CreateTaskPushNotificationConfig', inPath: ['taskId'], hasBody: true },
  {
    verb: 'GET',
    path: configs,
    operation: 'ListTaskPushNotificationConfigs',
    inPath: ['taskId'],
    inQuery: 'all',
  },
  {
    verb: 'GET',
    path: config,
    operation: 'GetTaskPushNotificationConfig',
    inPath: ['taskId', 'id'],
    inQuery: ['tenant'],
  },
  {
    verb: 'DELETE',
    path: config,
    operation: 'DeleteTaskPushNotificationConfig',
    inPath: ['taskId', 'id'],
    inQuery: ['tenant'],
  },
  { verb: 'GET', path: '/extendedAgentCard', operation: 'GetExtendedAgentCard', inQuery: ['tenant'] },
];

/** A2A over HTTP+JSON (chapter 11), below the base of one agent or of a pattern of agents. */
export function restRoutes(context: GatewayContext, base: string): Route[] {
  return routes.map((route) => ({
    verb: route.verb,
    path: base + route.path,
    handle: serveRest(context, route),
    isStream: context.operations[route.operation].kind === 'streaming',
  }));
}

function serveRest(context: GatewayContext, route: OperationRoute): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    try {
      const answer = await handle(context, exchange, route);
      if (!('items' in answer)) return writeResult(exchange, answer);
      using stream = answer;
      await writeRestStream(context, exchange, stream);
    } catch (thrown) {
      writeError(context, exchange, thrown);
    }
  };
}

async function handle(context: GatewayContext, exchange: Exchange, route: OperationRoute): Promise<OperationResult> {
  const { req } = exchange;
  const admission = await admit(context, exchange);
  // Before the body is read; the agent is known afterwards.
  admission.permit(route.operation);
  const body = route.hasBody ? await readOptionalJson(req, messageLimits(context, exchange, admission)) : {};
  const params = parseRequest(req, route, body);
  checkConfiguration(context.settings, exchange.res, params);
  const call = openHttpCall(context, exchange, { admission, tenant: params.tenant });
  return runOperation(operationFor(context, call, route.operation), { call, params });
}

/** Where an HTTP request has its operation's parameters (A2A 11.3, 11.5). */
interface RequestShape {
  /** Fields of the request that are in the path. */
  readonly inPath?: readonly string[];
  /**
   * Fields that are query parameters, as texts: ProtoJSON allows that for every value. Others are ignored. `all`: the
   * operation refuses those that it does not know.
   */
  readonly inQuery?: readonly string[] | 'all';
  /** All other fields are in the body. */
  readonly hasBody?: boolean;
}

/** The operation's request as one object, not validated. @throws {A2AError} InvalidRequest */
function parseRequest(req: RoutedRequest, shape: RequestShape, body: unknown): Record<string, unknown> {
  return {
    ...members(body),
    ...fromQuery(req, shape.inQuery ?? []),
    ...fromPath(req, [...(shape.inPath ?? []), 'tenant']),
  };
}

function members(body: unknown): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw wrongFields('InvalidRequest', 'Request payload validation error', [
    { field: 'body', description: 'must be a JSON object' },
  ]);
}

function fromPath(req: RoutedRequest, names: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const part = pathPart(req, name);
    if (part !== undefined) fields[name] = part;
  }
  return fields;
}

function fromQuery(req: RoutedRequest, names: readonly string[] | 'all'): Record<string, unknown> {
  if (names === 'all') return Object.fromEntries(parametersOf(req));
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(req.query)) {
    const text = names.includes(name) ? queryText(req, name) : undefined;
    if (text !== undefined) fields[name] = text;
  }
  return fields;
}

/** A2A 11.1 and 14.1.1: A2A's media type unless the client asks for plain JSON. */
const mediaTypes = ['application/a2a+json', 'application/json'];

/** Some clients read bodies or errors only as application/json, and say so in `Accept` (RFC 9110 12.5.1). */
function mediaTypeFor({ headers: { accept } }: IncomingMessage): string {
  if (accept === undefined || accept === '*/*') return 'application/a2a+json';
  return new Negotiator({ headers: { accept } }).mediaType(mediaTypes) ?? 'application/json';
}

/** Writes stored JSON unchanged. The ETag of a task is its version; a client that has this version gets 304. */
function writeResult({ req, res }: Exchange, { json, version }: UnaryResult): void {
  // Only the caller may cache it, and must revalidate it.
  const headers =
    version === undefined
      ? []
      : ['ETag', `"${version}"`, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept, A2A-Extensions'];
  if (json === undefined) respondUnchanged(res, headers);
  else respond(res, mediaTypeFor(req), json, headers);
}

export function writeError(context: FailureContext, exchange: Exchange, thrown: unknown): void {
  const error = reportFailure(context, exchange, thrown);
  // The connection broke while the body was read: no client reads an answer.
  if (exchange.res.headersSent) return void exchange.res.destroy();
  writeStatus(exchange, toHttpError(error));
}

function writeStatus({ req, res }: Exchange, { status, body }: { status: number; body: HttpErrorBody }): void {
  res.statusCode = status;
  respond(res, mediaTypeFor(req), JSON.stringify(body));
}

/** A2A 11.7: each event is a StreamResponse as it is stored. */
export function writeRestStream(
  context: FailureContext & { readonly settings: Pick<GatewaySettings, 'heartbeatMs'> },
  exchange: Exchange,
  stream: ServedStream,
): Promise<void> {
  return serveStream(exchange.res, stream, {
    heartbeatMs: context.settings.heartbeatMs,
    data: (json) => json,
    // google.rpc.Status (A2A 11.6).
    errorFrame: (thrown) => errorFrame(JSON.stringify(toHttpError(reportFailure(context, exchange, thrown)).body)),
  });
}

/**
 * Answers a request with a method that its path does not have: 405 (RFC 9110 15.5.6), for which A2A has no error.
 * @param allow the path's methods: `GET, POST`
 */
export function refuseVerb(context: FailureContext, allow: string): Handler {
  return (req, res) => {
    const message = `${req.method} is not allowed at this path; allowed: ${allow}${verbHint(req)}`;
    const error = new A2AError('MethodNotFound', message);
    const exchange = { req, res };
    res.setHeader('Allow', allow);
    const { body } = toHttpError(reportFailure(context, exchange, error));
    writeStatus(exchange, { status: 405, body: { error: { ...body.error, code: 405 } } });
  };
}

const taskVerb = '/tasks/:id(^.+)::';
/** What paths of a task, and of a message, end with: A2A 11.3 has the verb behind a colon. */
const verbs = {
  tasks: routes.flatMap(({ verb, path }) =>
    verb === 'POST' && path.startsWith(taskVerb) ? [path.slice(taskVerb.length)] : [],
  ),
  message: routes.flatMap(({ path }) => (path.startsWith('/message::') ? [path.slice('/message::'.length)] : [])),
};

/** The verbs that can be behind the colon at the end of a POST's path; empty if it has no colon there. */
function verbHint({ method, path }: Pick<RoutedRequest, 'method' | 'path'>): string {
  const parts = path.replaceAll(/%3a/gi, ':').split('/');
  if (parts.at(-1) === '') parts.pop();
  const [parent, last = ''] = parts.slice(-2);
  const object = last.slice(0, Math.max(0, last.lastIndexOf(':')));
  if (object === '' || method !== 'POST' || (object !== 'message' && parent !== 'tasks')) return '';
  const known = object === 'message' ? verbs.message : verbs.tasks;
  return `; the path of a POST ends with ${known.map((verb) => `:${verb}`).join(' or ')}`;
}

/** Answers a request for an unknown path. */
export function refusePath(context: FailureContext): Handler {
  return (req, res) => {
    const error = new A2AError('NotFound', `Nothing is served at this path${verbHint(req)}`);
    writeError(context, { req, res }, error);
  };
}

/** Answers errors of Express, such as a path that cannot be decoded: Express would answer with HTML. */
export function refuseFault(context: FailureContext): ErrorRequestHandler {
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
