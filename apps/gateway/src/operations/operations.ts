import {
  cancelTaskRequestSchema,
  createTaskPushNotificationConfigRequestSchema,
  deleteTaskPushNotificationConfigRequestSchema,
  getExtendedAgentCardRequestSchema,
  getTaskPushNotificationConfigRequestSchema,
  getTaskRequestSchema,
  listTaskPushNotificationConfigsRequestSchema,
  listTasksRequestSchema,
  sendMessageRequestSchema,
  subscribeToTaskRequestSchema,
} from '@switchyard/protocol';
import type { Backend } from './backend.ts';
import { cancelTask } from './cancel-task.ts';
import { createPushConfig } from './create-push-config.ts';
import { deletePushConfig } from './delete-push-config.ts';
import { getExtendedAgentCard } from './get-extended-agent-card.ts';
import { getPushConfig } from './get-push-config.ts';
import { getTask } from './get-task.ts';
import { listPushConfigs } from './list-push-configs.ts';
import { listTasks } from './list-tasks.ts';
import { type Operation, streaming, unary } from './operation.ts';
import { sendMessage } from './send-message.ts';
import { sendStreamingMessage } from './send-streaming-message.ts';
import { subscribeToTask } from './subscribe-to-task.ts';

/** The operations of A2A 1.0 (3.1), by the names that JSON-RPC and gRPC give them (5.3). */
export const operationNames = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const;

export type OperationName = (typeof operationNames)[number];
export type Operations = Readonly<Record<OperationName, Operation>>;

export function bindOperations(backend: Backend): Operations {
  return {
    SendMessage: unary(sendMessageRequestSchema, (call, request) => sendMessage(backend, call, request)),
    SendStreamingMessage: streaming(sendMessageRequestSchema, (call, request) =>
      sendStreamingMessage(backend, call, request),
    ),
    GetTask: unary(getTaskRequestSchema, (call, request) => getTask(backend, call, request)),
    ListTasks: unary(listTasksRequestSchema, (call, request) => listTasks(backend, call, request)),
    CancelTask: unary(cancelTaskRequestSchema, (call, request) => cancelTask(backend, call, request)),
    SubscribeToTask: streaming(subscribeToTaskRequestSchema, (call, request) =>
      subscribeToTask(backend, call, request),
    ),
    CreateTaskPushNotificationConfig: unary(createTaskPushNotificationConfigRequestSchema, (call, request) =>
      createPushConfig(backend, call, request),
    ),
    GetTaskPushNotificationConfig: unary(getTaskPushNotificationConfigRequestSchema, (call, request) =>
      getPushConfig(backend, call, request),
    ),
    ListTaskPushNotificationConfigs: unary(listTaskPushNotificationConfigsRequestSchema, (call, request) =>
      listPushConfigs(backend, call, request),
    ),
    DeleteTaskPushNotificationConfig: unary(deleteTaskPushNotificationConfigRequestSchema, (call, request) =>
      deletePushConfig(backend, call, request),
    ),
    GetExtendedAgentCard: unary(getExtendedAgentCardRequestSchema, (call) => getExtendedAgentCard(backend, call)),
  };
}
