import {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  Message,
  type SendMessageResponse,
  type StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import { A2AError } from '@switchyard/protocol';

/** Converts the JSON of operations to protobuf messages. */

interface MessageType<Value> {
  fromJSON(object: unknown): Value;
}

type Reader<Value> = (json: string) => Value;

const reader =
  <Value>(type: MessageType<Value>): Reader<Value> =>
  (json) =>
    fromJson(type, JSON.parse(json), json);

export const toTask: Reader<Task> = reader(Task);
export const toTaskList: Reader<ListTasksResponse> = reader(ListTasksResponse);
export const toPushConfig: Reader<TaskPushNotificationConfig> = reader(TaskPushNotificationConfig);
export const toPushConfigList: Reader<ListTaskPushNotificationConfigsResponse> = reader(
  ListTaskPushNotificationConfigsResponse,
);
export const toAgentCard: Reader<AgentCard> = (json) => AgentCard.fromJSON(JSON.parse(json));

export function toSendMessageResponse(json: string): SendMessageResponse {
  const { task, message }: Payload = JSON.parse(json);
  if (task) return { payload: { $case: 'task', value: fromJson(Task, task, json) } };
  if (message) return { payload: { $case: 'message', value: fromJson(Message, message, json) } };
  throw unknownPayload();
}

export function toStreamResponse(json: string): StreamResponse {
  const { task, message, statusUpdate, artifactUpdate }: Payload = JSON.parse(json);
  if (artifactUpdate)
    return { payload: { $case: 'artifactUpdate', value: fromJson(TaskArtifactUpdateEvent, artifactUpdate, json) } };
  if (statusUpdate)
    return { payload: { $case: 'statusUpdate', value: fromJson(TaskStatusUpdateEvent, statusUpdate, json) } };
  if (task) return { payload: { $case: 'task', value: fromJson(Task, task, json) } };
  if (message) return { payload: { $case: 'message', value: fromJson(Message, message, json) } };
  throw unknownPayload();
}

interface Payload {
  readonly task?: unknown;
  readonly message?: unknown;
  readonly statusUpdate?: unknown;
  readonly artifactUpdate?: unknown;
}

function fromJson<Value>(type: MessageType<Value>, value: unknown, json: string): Value {
  const message = type.fromJSON(value);
  if (json.includes('"data":null')) restoreNullData(value, message);
  return message;
}

function unknownPayload(): A2AError {
  return new A2AError('InvalidAgentResponse', 'The answer is neither a task nor a message nor an event');
}

/**
 * `{"data": null}` is a valid part (A2A 4.1.6), but the SDK's fromJSON reads null as "not set": this restores it.
 * @param json source of the message
 * @param message changed in place
 */
function restoreNullData(json: unknown, message: unknown): void {
  if (!isObject(json) || !isObject(message)) return;
  if (json.data === null && 'content' in message) message.content = { $case: 'data', value: null };
  // Metadata is any JSON, and not translated.
  for (const [name, value] of Object.entries(json)) if (name !== 'metadata') restoreNullData(value, message[name]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
