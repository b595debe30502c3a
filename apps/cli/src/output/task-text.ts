import { priorityUri, scheduleUri, timeToLiveUri, type UsageAmounts, usageUri, usdText } from '@switchyard/protocol';
import {
  type Artifact,
  isSettled,
  type Message,
  type Part,
  type SendMessageResponse,
  stateOf,
  type Task,
} from '../agent/objects.ts';
import { suspendedText } from '../agent/suspended.ts';
import { block, field } from './labelled-text.ts';

export interface Detail {
  /** Everything that was sent and received, instead of a summary. */
  readonly isVerbose: boolean;
  /** The command that continues a task. */
  readonly next?: (task: Task) => string | undefined;
}

export function taskText(task: Task, { isVerbose, next }: Detail): string {
  const { status, artifacts = [], history = [] } = task;
  const isInHistory = history.some(({ messageId }) => messageId === status?.message?.messageId);
  return [
    idsText(task),
    field('Scheduled', scheduledFor(task)),
    field('Priority', lastAsked(task, priorityUri, 'priority')),
    field('Time to live', timeToLiveText(task)),
    field('Waits', isSettled(stateOf(task)) ? undefined : suspendedText(task.metadata)),
    isVerbose ? field('Updated', status?.timestamp) : '',
    field('Usage', usageText(task)),
    field('Next', next?.(task)),
    ...(isVerbose ? history.map(messageText) : []),
    ...(status?.message && !(isVerbose && isInHistory) ? [messageText(status.message)] : []),
    ...artifacts.map(artifactText),
  ].join('');
}

/** When a task begins that waits for its time. */
function scheduledFor(task: Task): string | undefined {
  const { at } = Object(Object(task.metadata)[scheduleUri]);
  return typeof at === 'string' && stateOf(task) === 'TASK_STATE_SUBMITTED' ? at : undefined;
}

/** What the client asked for last by an extension; undefined: it never did, or the history is not there. */
function lastAsked({ history = [] }: Task, uri: string, name: string): string | undefined {
  const asked = history.map(({ metadata }) => Object(Object(metadata)[uri])[name]);
  const last = asked.findLast((value) => typeof value === 'string' || typeof value === 'number');
  return last === undefined ? undefined : `${last}`;
}

/** `30 s`: what a message may wait for a worker, as its client asked last. */
function timeToLiveText(task: Task): string | undefined {
  const ms = lastAsked(task, timeToLiveUri, 'ttlMs');
  return ms === undefined ? undefined : `${Number(ms) / 1_000} s`;
}

/** `1200 tokens in, 340 tokens out, 0.52 USD`: what the agent says that the task has used; undefined: it says nothing. */
function usageText({ metadata }: Task): string | undefined {
  const total = usedBy(metadata);
  const inputTokens = amount(total.inputTokens);
  const outputTokens = amount(total.outputTokens);
  const unpricedCalls = amount(total.unpricedCalls);
  const microUsd = amount(total.microUsd);
  if (inputTokens + outputTokens + unpricedCalls + microUsd === 0) return undefined;
  return [
    ...(inputTokens + outputTokens > 0 ? [`${inputTokens} tokens in`, `${outputTokens} tokens out`] : []),
    ...(microUsd > 0 ? [usdText(microUsd)] : []),
    ...(unpricedCalls > 0 ? [unpricedText(unpricedCalls)] : []),
  ].join(', ');
}

/** @param calls of models, 1 or more */
export function unpricedText(calls: number): string {
  return `${calls === 1 ? '1 request' : `${calls} requests`} without a price`;
}

/** What the task has cost, as its agent says; unset: nothing with a known price. */
export function costOf({ metadata }: Task): string | undefined {
  const microUsd = amount(usedBy(metadata).microUsd);
  return microUsd > 0 ? usdText(microUsd) : undefined;
}

/** An agent may say anything. */
const usedBy = (metadata: unknown): Readonly<Record<keyof UsageAmounts, unknown>> =>
  Object(Object(Object(metadata)[usageUri]).total);

const amount = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

export function responseText({ task, message }: SendMessageResponse, detail: Detail): string {
  if (task) return taskText(task, detail);
  if (!message) return '';
  const { taskId, contextId } = message;
  const next = contextId && detail.next?.({ contextId, status: { state: 'TASK_STATE_COMPLETED' } });
  return `${field('Task', taskId)}${field('Context', contextId)}${field('Next', next)}${messageText(message)}`;
}

/** A task's history, as requested. */
export function historyText({ history = [] }: Task): string {
  return history.map(messageText).join('');
}

/** Repeated with the last event. */
export function idsText(task: Task): string {
  return field('Task', task.id) + field('Context', task.contextId) + field('State', stateOf(task));
}

export function messageText({ role, parts = [] }: Message): string {
  return field('Message', role === 'ROLE_USER' ? 'user' : 'agent') + parts.map(partText).join('');
}

export function artifactText(artifact: Artifact): string {
  return artifactLabel(artifact) + (artifact.parts ?? []).map(partText).join('');
}

export function artifactLabel({ artifactId, name }: Artifact): string {
  return field('Artifact', name ? `${name} (${artifactId})` : artifactId);
}

export function partText(part: Part): string {
  const { text, raw, url, data, filename = 'unnamed', mediaType = 'application/octet-stream' } = part;
  if (text !== undefined) return block('Text', text);
  if (raw !== undefined) return field('File', `${filename}, ${mediaType}, ${Buffer.from(raw, 'base64').length} bytes`);
  if (url !== undefined) return field('File', `${filename}, ${mediaType}, at ${url}`);
  return block('Data', JSON.stringify(data ?? part, undefined, 2));
}
