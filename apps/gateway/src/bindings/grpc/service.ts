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
import type { Entrance } from '../gateway-context.ts';
import {
  toAgentCard,
  toPushConfig,
  toPushConfigList,
  toSendMessageResponse,
  toStreamResponse,
  toTask,
  toTaskList,
} from './messages.ts';
import { serveStream, serveUnary } from './serve.ts';

type A2AServiceImplementation = ReturnType<typeof grpcService>;

/** Clients write 0 for what they leave unset, although the field has presence. */
function toListParams({ pageSize, ...request }: ListTasksRequest): unknown {
  return ListTasksRequest.toJSON({ ...request, ...(pageSize !== 0 && { pageSize }) });
}

/** A2A over gRPC (chapter 10): the methods of `lf.a2a.v1.A2AService`. */
export function createService(entrance: Entrance): A2AServiceImplementation {
  return {
    sendMessage: serveUnary(entrance, {
      operation: 'SendMessage',
      toParams: SendMessageRequest.toJSON,
      toMessage: toSendMessageResponse,
    }),
    sendStreamingMessage: serveStream(entrance, {
      operation: 'SendStreamingMessage',
      toParams: SendMessageRequest.toJSON,
      toMessage: toStreamResponse,
    }),
    getTask: serveUnary(entrance, { operation: 'GetTask', toParams: GetTaskRequest.toJSON, toMessage: toTask }),
    listTasks: serveUnary(entrance, {
      operation: 'ListTasks',
      toParams: toListParams,
      toMessage: toTaskList,
    }),
    cancelTask: serveUnary(entrance, {
      operation: 'CancelTask',
      toParams: CancelTaskRequest.toJSON,
      toMessage: toTask,
    }),
    subscribeToTask: serveStream(entrance, {
      operation: 'SubscribeToTask',
      toParams: SubscribeToTaskRequest.toJSON,
      toMessage: toStreamResponse,
    }),
    ...createPushMethods(entrance),
    getExtendedAgentCard: serveUnary(entrance, {
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

function createPushMethods(entrance: Entrance): Pick<A2AServiceImplementation, PushMethod> {
  return {
    createTaskPushNotificationConfig: serveUnary(entrance, {
      operation: 'CreateTaskPushNotificationConfig',
      toParams: TaskPushNotificationConfig.toJSON,
      toMessage: toPushConfig,
    }),
    getTaskPushNotificationConfig: serveUnary(entrance, {
      operation: 'GetTaskPushNotificationConfig',
      toParams: GetTaskPushNotificationConfigRequest.toJSON,
      toMessage: toPushConfig,
    }),
    listTaskPushNotificationConfigs: serveUnary(entrance, {
      operation: 'ListTaskPushNotificationConfigs',
      toParams: ListTaskPushNotificationConfigsRequest.toJSON,
      toMessage: toPushConfigList,
    }),
    deleteTaskPushNotificationConfig: serveUnary(entrance, {
      operation: 'DeleteTaskPushNotificationConfig',
      toParams: DeleteTaskPushNotificationConfigRequest.toJSON,
      toMessage: () => ({}),
    }),
  };
}
