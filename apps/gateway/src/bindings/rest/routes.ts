import type { OperationName } from '../../operations/operations.ts';
import type { RequestShape } from './parse-request.ts';

/** Which request is which operation. */
export interface OperationRoute extends RequestShape {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  /** Below the base of an agent: `::` is a colon, `:id` a parameter, `:id(^.+)` one that something follows. */
  readonly path: string;
  readonly operation: OperationName;
}

const tenant = { tenant: 'text' } as const;
const page = { pageSize: 'number', pageToken: 'text' } as const;
const list = {
  ...tenant,
  ...page,
  contextId: 'text',
  status: 'text',
  historyLength: 'number',
  statusTimestampAfter: 'text',
  includeArtifacts: 'boolean',
} as const;
const configs = '/tasks/:taskId/pushNotificationConfigs';
const config = `${configs}/:id`;

/** A2A 11.3. `:subscribe` is a POST in 5.3 and a GET in the protobuf definition: both are served. */
export const routes: readonly OperationRoute[] = [
  { verb: 'POST', path: '/message::send', operation: 'SendMessage', hasBody: true },
  { verb: 'POST', path: '/message::stream', operation: 'SendStreamingMessage', hasBody: true },
  { verb: 'POST', path: '/tasks/:id(^.+)::cancel', operation: 'CancelTask', inPath: ['id'], hasBody: true },
  { verb: 'POST', path: '/tasks/:id(^.+)::subscribe', operation: 'SubscribeToTask', inPath: ['id'], hasBody: true },
  { verb: 'GET', path: '/tasks/:id(^.+)::subscribe', operation: 'SubscribeToTask', inPath: ['id'], inQuery: tenant },
  {
    verb: 'GET',
    path: '/tasks/:id',
    operation: 'GetTask',
    inPath: ['id'],
    inQuery: { ...tenant, historyLength: 'number' },
  },
  { verb: 'GET', path: '/tasks', operation: 'ListTasks', inQuery: list },
  { verb: 'POST', path: configs, operation: 'CreateTaskPushNotificationConfig', inPath: ['taskId'], hasBody: true },
  {
    verb: 'GET',
    path: configs,
    operation: 'ListTaskPushNotificationConfigs',
    inPath: ['taskId'],
    inQuery: { ...tenant, ...page },
  },
  { verb: 'GET', path: config, operation: 'GetTaskPushNotificationConfig', inPath: ['taskId', 'id'], inQuery: tenant },
  {
    verb: 'DELETE',
    path: config,
    operation: 'DeleteTaskPushNotificationConfig',
    inPath: ['taskId', 'id'],
    inQuery: tenant,
  },
  { verb: 'GET', path: '/extendedAgentCard', operation: 'GetExtendedAgentCard', inQuery: tenant },
];
