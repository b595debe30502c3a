import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { MessageContent } from '@switchyard/agent';
import { summaryOf, type TaskSummary } from '@switchyard/agent/testing';
import {
  isInterrupted,
  isTerminal,
  type Message,
  type Metadata,
  type Part,
  type SendMessageConfiguration,
  type SendMessageResponse,
  type Task,
} from '@switchyard/protocol';
import { suspendedText, suspendedWaits } from '../agent/suspended.ts';

const OUTCOME_WITHIN_MS = 30_000;

/** A client's message: a text, a part, several parts, parts with metadata, or a whole A2A message. */
export type SentContent = string | Part | readonly Part[] | MessageContent | Message;

/** The answer to a message, as its client receives it. */
export interface SentMessage extends TaskSummary {
  /** Undefined: the agent answered with a plain message, without a task. */
  readonly task: Task | undefined;
  /** Sends the next message of the task. */
  say(content: SentContent): Promise<SentMessage>;
  /** Creates another task in the same context. */
  newTask(content: SentContent): Promise<SentMessage>;
  /**
   * Waits until the task ends or asks, after an answer that came before: the agent has called `turn.acknowledge`, or the
   * configuration has `returnImmediately`.
   * @throws {Error} it has not after the `timeoutMs` of its message
   */
  ended(): Promise<SentMessage>;
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
  readonly metadata?: Metadata;
  readonly timeoutMs?: number;
}

/** @throws {Error} the message was refused, or has no answer in time */
export async function send(address: Address, content: SentContent, place: object = {}): Promise<SentMessage> {
  const { configuration = {}, metadata, timeoutMs = OUTCOME_WITHIN_MS } = address;
  const message = { ...place, ...userMessage(content) };
  const request = { message, ...(metadata && { metadata }) };
  const answer = post(address, { ...request, configuration });
  // It may come, or fail, after this has given up.
  answer.catch(() => undefined);
  // Sent again, a message gets its first answer: its task, also while that is open.
  const find = () => post(address, { ...request, configuration: { ...configuration, returnImmediately: true } });
  return sentMessage(address, await withinTime(answer, { timeoutMs, find }));
}

interface SentRequest {
  readonly message: Message;
  readonly metadata?: Metadata;
  readonly configuration: SendMessageConfiguration;
}

async function post({ url }: Address, request: SentRequest): Promise<SendMessageResponse> {
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...extensionsOf(request) },
    body: JSON.stringify(request),
  });
  if (!response.ok) throw new Error(`the message was refused (${response.status}): ${await response.text()}`);
  return JSON.parse(await response.text());
}

/** The extensions that the metadata use must be requested (A2A 4.6.2). */
function extensionsOf({ message, metadata }: SentRequest): Record<string, string> {
  const uris = Object.keys({ ...message.metadata, ...metadata }).filter((key) => URL.canParse(key));
  return uris.length > 0 ? { 'a2a-extensions': uris.join(', ') } : {};
}

/** Runners of tests give a test five seconds: a task that only waits is found before that. */
const LOOK_AFTER_MS = 3_000;

interface Patience {
  readonly timeoutMs: number;
  readonly find: () => Promise<SendMessageResponse>;
}

/** @throws {Error} no answer in time, or the task waits for what the test must give */
async function withinTime(answer: Promise<SendMessageResponse>, { timeoutMs, find }: Patience) {
  const giveUp = Date.now() + timeoutMs;
  let waited: string | undefined;
  for (let waitMs = LOOK_AFTER_MS; ; waitMs = 1_000) {
    const pause = delay(Math.max(0, Math.min(waitMs, giveUp - Date.now())), undefined, { ref: false });
    const answered = await Promise.race([answer, pause]);
    if (answered) return answered;
    const { task } = await find();
    const waits = task ? suspendedWaits(task.metadata) : [];
    const isStuck = waits.length > 0 && waits.every(({ event, until }) => event ?? (until ?? '') > isoTime(giveUp));
    const what = isStuck ? suspendedText(task?.metadata) : undefined;
    if (task && ((what !== undefined && what === waited) || Date.now() >= giveUp)) throw unanswered(task, timeoutMs);
    waited = what;
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

function unanswered({ id, status, metadata }: Task, timeoutMs: number): Error {
  const waits = suspendedText(metadata);
  return new Error(
    waits === undefined
      ? `the task ${id} has no answer after ${timeoutMs} ms (timeoutMs), and is ${status.state}`
      : `the task ${id} waits ${waits}: send its message with { configuration: { returnImmediately: true } }, then ` +
          'give(event, data) what it waits for; runTurn skips times',
  );
}

function sentMessage(address: Address, { task, message }: SendMessageResponse): SentMessage {
  const { contextId } = task ?? message ?? {};
  const summary = summaryOf(task ?? { id: '', status: { state: 'TASK_STATE_COMPLETED', ...(message && { message }) } });
  return {
    task,
    ...summary,
    say: (next) => send(address, next, { contextId, taskId: task?.id }),
    newTask: (next) => send(address, next, { contextId }),
    ended: async () =>
      sentMessage(address, task ? { task: await endOf(address, task.id) } : { ...(message && { message }) }),
    give: async (event, data = null) => {
      const id = task?.id ?? '';
      await giveEvent(`${address.url}/tasks/${id}`, event, data);
      return sentMessage(address, { task: await endOf({ url: address.url }, id) });
    },
  };
}

async function giveEvent(url: string, event: string, data: unknown): Promise<void> {
  const response = await fetch(`${url}/events/${encodeURIComponent(event)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(data),
  });
  if (!response.ok) throw new Error(`the event was refused (${response.status}): ${await response.text()}`);
}

/** The task once it has ended, or asks. @throws {Error} it has not in time */
async function endOf({ url, timeoutMs = OUTCOME_WITHIN_MS }: Address, id: string): Promise<Task> {
  const giveUp = Date.now() + timeoutMs;
  for (;;) {
    const task: Task = JSON.parse(await (await fetch(`${url}/tasks/${id}`)).text());
    if (isTerminal(task.status.state) || isInterrupted(task.status.state)) return task;
    if (Date.now() > giveUp) throw unanswered(task, timeoutMs);
    await delay(20);
  }
}

function userMessage(content: SentContent): Message {
  if (typeof content === 'object' && 'messageId' in content) return content;
  const own = { messageId: randomUUID(), role: 'ROLE_USER' } as const;
  if (typeof content !== 'object' || !('parts' in content)) return { ...own, parts: partsOf(content) };
  const { parts, extensions, ...given } = content;
  return { ...own, ...given, parts: [...parts], ...(extensions && { extensions: [...extensions] }) };
}

function partsOf(content: string | Part | readonly Part[]): Part[] {
  if (typeof content === 'string') return [{ text: content }];
  return isList(content) ? [...content] : [content];
}

function isList(content: Part | readonly Part[]): content is readonly Part[] {
  return Array.isArray(content);
}
