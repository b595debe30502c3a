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

/** Characters of a large message or `raw`. */
const LARGE = 64 * 1_024;

/** @param value the parsed message, changed if it is large */
function fromJson<Value>(type: MessageType<Value>, value: unknown, json: string): Value {
  const isLarge = json.length >= LARGE;
  const raws = new Map<object, string>();
  if (isLarge) takeRaw(value, raws);
  const message = type.fromJSON(value);
  // A search of a large text takes longer than a walk through its parts.
  if (isLarge || json.includes('"data":null')) restoreContents({ json: value, message }, raws);
  return message;
}

/** Takes the large `raw` out of its parts: the SDK would copy its bytes twice after decoding them. */
function takeRaw(json: unknown, raws: Map<object, string>): void {
  if (!isObject(json)) return;
  if (typeof json.raw === 'string' && json.raw.length >= LARGE) {
    raws.set(json, json.raw);
    json.raw = '';
  }
  for (const [name, value] of Object.entries(json)) if (!isAnyJson(name)) takeRaw(value, raws);
}

function unknownPayload(): A2AError {
  return new A2AError('InvalidAgentResponse', 'The answer is neither a task nor a message nor an event');
}

/**
 * Sets what the SDK's fromJSON has not: the `raw` that was taken out, and `{"data": null}`, a valid part (A2A 4.1.6),
 * which it reads as "not set".
 * @param both the source, and the message, which is changed in place
 * @param raws by the part in the source
 */
function restoreContents({ json, message }: { json: unknown; message: unknown }, raws: Map<object, string>): void {
  if (!isObject(json) || !isObject(message)) return;
  if (json.data === null && 'content' in message) message.content = { $case: 'data', value: null };
  const raw = raws.get(json);
  if (raw !== undefined) message.content = { $case: 'raw', value: Buffer.from(raw, 'base64') };
  for (const [name, value] of Object.entries(json))
    if (!isAnyJson(name)) restoreContents({ json: value, message: message[name] }, raws);
}

/** Metadata and data are not translated. */
const isAnyJson = (name: string): boolean => name === 'metadata' || name === 'data';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
