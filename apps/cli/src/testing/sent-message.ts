import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { summaryOf, type TaskSummary } from '@switchyard/agent/testing';
import {
  isInterrupted,
  isTerminal,
  type Message,
  type Part,
  type SendMessageConfiguration,
  type SendMessageResponse,
  type Task,
} from '@switchyard/protocol';

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
  /**
   * Gives the task an event that it waits for, or will wait for, and waits until the task ends or asks. A message to an
   * agent that waits for an event must be sent with the configuration `returnImmediately`.
   * @throws {Error} the event was refused; or after 30 s
   */
  give(event: string, data?: unknown): Promise<SentMessage>;
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
  return sentMessage(address, JSON.parse(await response.text()));
}

function sentMessage(address: Address, { task, message }: SendMessageResponse): SentMessage {
  const { contextId } = task ?? message ?? {};
  const summary = summaryOf(task ?? { id: '', status: { state: 'TASK_STATE_COMPLETED', ...(message && { message }) } });
  return {
    task,
    ...summary,
    say: (next) => send(address, next, { contextId, taskId: task?.id }),
    newTask: (next) => send(address, next, { contextId }),
    give: async (event, data = null) =>
      sentMessage(address, { task: await afterEvent(`${address.url}/tasks/${task?.id}`, event, data) }),
  };
}

const OUTCOME_WITHIN_MS = 30_000;

async function afterEvent(url: string, event: string, data: unknown): Promise<Task> {
  const response = await fetch(`${url}/events/${encodeURIComponent(event)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(data),
  });
  if (!response.ok) throw new Error(`the event was refused (${response.status}): ${await response.text()}`);
  const giveUp = Date.now() + OUTCOME_WITHIN_MS;
  for (;;) {
    const task: Task = JSON.parse(await (await fetch(url)).text());
    if (isTerminal(task.status.state) || isInterrupted(task.status.state)) return task;
    if (Date.now() > giveUp)
      throw new Error(`the task ${task.id} has no outcome ${OUTCOME_WITHIN_MS / 1_000} s after "${event}"`);
    await delay(20);
  }
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
