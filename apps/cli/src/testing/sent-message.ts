import { randomUUID } from 'node:crypto';
import { summaryOf, type TaskSummary } from '@switchyard/agent/testing';
import type { Message, Part, SendMessageConfiguration, SendMessageResponse, Task } from '@switchyard/protocol';

/** A client's message: a text, a part, several parts, or a whole A2A message. */
export type SentContent = string | Part | readonly Part[] | Message;

/** The answer to a message, as its client receives it. */
export interface SentMessage extends TaskSummary {
  /** Undefined: the agent answered with a plain message, without a task. */
  readonly task: Task | undefined;
  /** Sends the next message of the task. */
  say(content: SentContent): Promise<SentMessage>;
  /** Creates another task in the same context. */
  newTask(content: SentContent): Promise<SentMessage>;
}

/** Target and options of a message. */
export interface Address {
  /** The agent's id. */
  readonly url: string;
  readonly configuration?: SendMessageConfiguration;
}

/** @throws {Error} the message was refused */
export async function send(address: Address, content: SentContent, place: object = {}): Promise<SentMessage> {
  const { url, configuration = {} } = address;
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: { ...place, ...userMessage(content) }, configuration }),
  });
  if (!response.ok) throw new Error(`the message was refused (${response.status}): ${await response.text()}`);
  const { task, message }: SendMessageResponse = JSON.parse(await response.text());
  const { contextId } = task ?? message ?? {};
  const summary = summaryOf(task ?? { id: '', status: { state: 'TASK_STATE_COMPLETED', ...(message && { message }) } });
  return {
    task,
    ...summary,
    say: (next) => send(address, next, { contextId, taskId: task?.id }),
    newTask: (next) => send(address, next, { contextId }),
  };
}

function userMessage(content: SentContent): Message {
  if (typeof content === 'object' && 'messageId' in content) return content;
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: partsOf(content) };
}

function partsOf(content: string | Part | readonly Part[]): Part[] {
  if (typeof content === 'string') return [{ text: content }];
  return isList(content) ? [...content] : [content];
}

function isList(content: Part | readonly Part[]): content is readonly Part[] {
  return Array.isArray(content);
}
