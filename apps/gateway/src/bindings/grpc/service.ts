import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { grpcService } from '@a2a-js/sdk/server/grpc';
import type { GatewayContext } from '../gateway-context.ts';
import {
  toAgentCard,
  toPushConfig,
  toPushConfigList,
  toSendMessageResponse,
  toStreamResponse,
  toTask,
  toTaskList,
} from './messages.ts';
import { serveStreamingCall, serveUnary } from './serve.ts';

type A2AServiceImplementation = ReturnType<typeof grpcService>;

/** Clients send 0 for an unset page size, although the field has presence. */
function toListParams({ pageSize, ...request }: ListTasksRequest): unknown {
  return ListTasksRequest.toJSON({ ...request, ...(pageSize !== 0 && { pageSize }) });
}

/** A2A over gRPC (chapter 10): the methods of `lf.a2a.v1.A2AService`. */
export function createService(context: GatewayContext): A2AServiceImplementation {
  return {
    sendMessage: serveUnary(context, {
      operation: 'SendMessage',
      toParams: SendMessageRequest.toJSON,
      toMessage: toSendMessageResponse,
    }),
    sendStreamingMessage: serveStreamingCall(context, {
      operation: 'SendStreamingMessage',
      toParams: SendMessageRequest.toJSON,
      toMessage: toStreamResponse,
    }),
    getTask: serveUnary(context, { operation: 'GetTask', toParams: GetTaskRequest.toJSON, toMessage: toTask }),
    listTasks: serveUnary(context, {
      operation: 'ListTasks',
      toParams: toListParams,
      toMessage: toTaskList,
    }),
    cancelTask: serveUnary(context, {
      operation: 'CancelTask',
      toParams: CancelTaskRequest.toJSON,
      toMessage: toTask,
    }),
    subscribeToTask: serveStreamingCall(context, {
      operation: 'SubscribeToTask',
      toParams: SubscribeToTaskRequest.toJSON,
      toMessage: toStreamResponse,
    }),
    ...createPushMethods(context),
    getExtendedAgentCard: serveUnary(context, {
      operation: 'GetExtendedAgentCard',
      toParams: GetExtendedAgentCardRequest.toJSON,
      toMessage: toAgentCard,
    }),
  };
}

type PushMethod =
  | 'createTaskPushNotificationConfig'
  | 'getTaskPushNotificationConfig'
  | 'listTaskPushNotificationConfigs'
  | 'deleteTaskPushNotificationConfig';

function createPushMethods(context: GatewayContext): Pick<A2AServiceImplementation, PushMethod> {
  return {
    createTaskPushNotificationConfig: serveUnary(context, {
      operation: 'CreateTaskPushNotificationConfig',
      toParams: TaskPushNotificationConfig.toJSON,
      toMessage: toPushConfig,
    }),
    getTaskPushNotificationConfig: serveUnary(context, {
      operation: 'GetTaskPushNotificationConfig',
      toParams: GetTaskPushNotificationConfigRequest.toJSON,
      toMessage: toPushConfig,
    }),
    listTaskPushNotificationConfigs: serveUnary(context, {
      operation: 'ListTaskPushNotificationConfigs',
      toParams: ListTaskPushNotificationConfigsRequest.toJSON,
      toMessage: toPushConfigList,
    }),
    deleteTaskPushNotificationConfig: serveUnary(context, {
      operation: 'DeleteTaskPushNotificationConfig',
      toParams: DeleteTaskPushNotificationConfigRequest.toJSON,
      toMessage: () => ({}),
    }),
  };
}
