import type { OperationName } from '../../operations/operations.ts';
import type { RequestShape } from './parse-request.ts';

/** Which request is which operation. */
export interface Route extends RequestShape {
  readonly verb: 'get' | 'post' | 'delete';
  /** Express path below the base of an agent: `\\:` is a colon, `:id` a parameter. */
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

/** A2A 11.3. The first that fits is taken. `:subscribe` is a POST in 5.3 and a GET in the protobuf definition: both are served. */
export const routes: readonly Route[] = [
  { verb: 'post', path: '/message\\:send', operation: 'SendMessage', hasBody: true },
  { verb: 'post', path: '/message\\:stream', operation: 'SendStreamingMessage', hasBody: true },
  { verb: 'post', path: '/tasks/:id\\:cancel', operation: 'CancelTask', inPath: ['id'], hasBody: true },
  { verb: 'post', path: '/tasks/:id\\:subscribe', operation: 'SubscribeToTask', inPath: ['id'], hasBody: true },
  { verb: 'get', path: '/tasks/:id\\:subscribe', operation: 'SubscribeToTask', inPath: ['id'], inQuery: tenant },
  {
    verb: 'get',
    path: '/tasks/:id',
    operation: 'GetTask',
    inPath: ['id'],
    inQuery: { ...tenant, historyLength: 'number' },
  },
  { verb: 'get', path: '/tasks', operation: 'ListTasks', inQuery: list },
  { verb: 'post', path: configs, operation: 'CreateTaskPushNotificationConfig', inPath: ['taskId'], hasBody: true },
  {
    verb: 'get',
    path: configs,
    operation: 'ListTaskPushNotificationConfigs',
    inPath: ['taskId'],
    inQuery: { ...tenant, ...page },
  },
  { verb: 'get', path: config, operation: 'GetTaskPushNotificationConfig', inPath: ['taskId', 'id'], inQuery: tenant },
  {
    verb: 'delete',
    path: config,
    operation: 'DeleteTaskPushNotificationConfig',
    inPath: ['taskId', 'id'],
    inQuery: tenant,
  },
  { verb: 'get', path: '/extendedAgentCard', operation: 'GetExtendedAgentCard', inQuery: tenant },
];
