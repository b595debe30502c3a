import { A2AError } from '@switchyard/protocol';
import {
  type Exchange,
  type Handler,
  pathPart,
  queryText,
  type Route,
  type RoutedRequest,
} from '../../exchange/exchange.ts';
import { readOptionalJson } from '../../exchange/read-json.ts';
import { type Answer, operationFor, runOperation } from '../../operations/operation.ts';
import type { OperationName } from '../../operations/operations.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { admit, bodyLimits, openCall } from '../http-call.ts';
import { writeError, writeResult, writeStream } from './write.ts';

/** The HTTP request of an operation. */
interface OperationRoute extends RequestShape {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  /** Below the base of an agent: `::` is a colon, `:id` a parameter, `:id(^.+)` one that something follows. */
  readonly path: string;
  readonly operation: OperationName;
}

const page = ['tenant', 'pageSize', 'pageToken'];
const list = [...page, 'contextId', 'status', 'historyLength', 'statusTimestampAfter', 'includeArtifacts'];
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
    inQuery: ['tenant', 'historyLength', 'currentGeneration', 'timelineLength'],
  },
  { verb: 'GET', path: '/tasks', operation: 'ListTasks', inQuery: list },
  { verb: 'POST', path: configs, operation: 'CreateTaskPushNotificationConfig', inPath: ['taskId'], hasBody: true },
  {
    verb: 'GET',
    path: configs,
    operation: 'ListTaskPushNotificationConfigs',
    inPath: ['taskId'],
    inQuery: page,
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
      await writeStream(context, exchange, stream.items);
    } catch (thrown) {
      writeError(context, exchange, thrown);
    }
  };
}

async function handle(context: GatewayContext, exchange: Exchange, route: OperationRoute): Promise<Answer> {
  const { req } = exchange;
  const admission = await admit(context, exchange);
  admission.may(route.operation);
  admission.spend(route.operation);
  const body = route.hasBody ? await readOptionalJson(req, bodyLimits(context, exchange, admission)) : {};
  const params = parseRequest(req, route, body);
  const call = openCall(context, exchange, { admission, tenant: params.tenant });
  return runOperation(operationFor(context, call, route.operation), { call, params });
}

/** Where an HTTP request has the parameters of its operation (A2A 11.3, 11.5). */
interface RequestShape {
  /** Names of the request's fields that are parts of the path. */
  readonly inPath?: readonly string[];
  /** Fields that are query parameters: texts, as ProtoJSON may write every value. */
  readonly inQuery?: readonly string[];
  /** The other fields are the members of the body. */
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
  throw new A2AError('InvalidRequest', 'Request payload validation error', {
    violations: [{ field: 'body', description: 'must be a JSON object' }],
  });
}

function fromPath(req: RoutedRequest, names: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const part = pathPart(req, name);
    if (part !== undefined) fields[name] = part;
  }
  return fields;
}

function fromQuery(req: RoutedRequest, names: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(req.query)) {
    const text = names.includes(name) ? queryText(req, name) : undefined;
    if (text !== undefined) fields[name] = text;
  }
  return fields;
}
