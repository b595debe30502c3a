import { A2AError } from '@switchyard/protocol';
import {
  cancelTaskRequestSchema,
  createTaskPushNotificationConfigRequestSchema,
  deleteTaskPushNotificationConfigRequestSchema,
  getExtendedAgentCardRequestSchema,
  getTaskPushNotificationConfigRequestSchema,
  getTaskRequestSchema,
  listTaskPushNotificationConfigsRequestSchema,
  sendMessageRequestSchema,
  subscribeToTaskRequestSchema,
} from '@switchyard/protocol/schemas';
import type { Action } from '../admission/scopes.ts';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import { cancelTask } from './cancel-task.ts';
import { getTask } from './get-task.ts';
import { listedTasksSchema, listTasks } from './list-tasks.ts';
import { type Operation, type OperationFactory, streaming, type UnaryResult, unary } from './operation.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-configs.ts';
import { sendMessage } from './send-message.ts';
import { sendStreamingMessage } from './send-streaming-message.ts';
import { subscribeToTask } from './subscribe-to-task.ts';

/** The operations of A2A 1.0 (3.1), by their names in JSON-RPC and gRPC (5.3). */
export const definitions = {
  SendMessage: unary(sendMessageRequestSchema, sendMessage),
  SendStreamingMessage: streaming(sendMessageRequestSchema, sendStreamingMessage),
  GetTask: unary(getTaskRequestSchema, getTask),
  ListTasks: unary(listedTasksSchema, listTasks),
  CancelTask: unary(cancelTaskRequestSchema, cancelTask),
  SubscribeToTask: streaming(subscribeToTaskRequestSchema, subscribeToTask),
  CreateTaskPushNotificationConfig: unary(createTaskPushNotificationConfigRequestSchema, createPushConfig),
  GetTaskPushNotificationConfig: unary(getTaskPushNotificationConfigRequestSchema, getPushConfig),
  ListTaskPushNotificationConfigs: unary(listTaskPushNotificationConfigsRequestSchema.strict(), listPushConfigs),
  DeleteTaskPushNotificationConfig: unary(deleteTaskPushNotificationConfigRequestSchema, deletePushConfig),
  GetExtendedAgentCard: unary(getExtendedAgentCardRequestSchema, getExtendedAgentCard),
} as const satisfies Readonly<Partial<Record<Action, OperationFactory>>>;

export type OperationName = keyof typeof definitions;
export type Operations = Readonly<Record<OperationName, Operation>>;

export const operationNames = Object.keys(definitions).filter(isOperationName);

type Definitions = Readonly<Record<OperationName, OperationFactory>>;

export function bindOperations(backend: Backend, defined: Definitions = definitions): Operations {
  const bound = operationNames.map((name) => [name, defined[name](name, backend)]);
  return Object.fromEntries(bound);
}

function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(definitions, name);
}

/** A2A 3.1.11 and 3.3.4: an agent that does not declare an extended card does not support the operation. */
async function getExtendedAgentCard({ cards }: Backend, call: Call): Promise<UnaryResult> {
  if (!cards.offersExtended(call.agent))
    throw new A2AError('UnsupportedOperation', 'This agent does not offer an extended agent card');
  const served = await cards.extendedCardFor(call.agent, call.endpoint());
  if (!served) throw new A2AError('ExtendedAgentCardNotConfigured', 'This agent has no extended agent card');
  const { card, digest } = served;
  return { version: digest, json: call.knownVersion === digest ? undefined : JSON.stringify(card) };
}
