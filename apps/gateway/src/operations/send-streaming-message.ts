import { type FeedItem, taskItem } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { type Accepted, acceptMessage, presubscribe, readExtensions } from './accept-message.ts';
import { type Backend, requireStreaming, taskNotFound } from './backend.ts';
import type { ConditionalSend } from './if-generation.ts';
import { messageOrItems } from './message-answer.ts';
import type { StreamItem } from './operation.ts';

/** A2A 3.1.2. Begins with the task; ends with its terminal event, or when the agent asks for input. */
export async function sendStreamingMessage(
  backend: Backend,
  call: Call,
  sent: ConditionalSend,
): Promise<AsyncIterable<StreamItem>> {
  requireStreaming(call);
  const { request, steps, schedule } = await readExtensions(backend, call, sent);
  const holdMs = call.agent.repliesWithMessage ? Number.POSITIVE_INFINITY : backend.settings.messageHoldMs;
  const preSubscription = presubscribe(backend, call, request);
  // The signal of a call aborts when the call is over.
  call.signal.addEventListener('abort', () => preSubscription?.[Symbol.dispose](), { once: true });
  const accepted = await acceptMessage(backend, call, request, {
    preSubscription,
    ...(!schedule && { webhookHoldMs: holdMs }),
    isAwaited: true,
    steps,
    schedule,
  });
  const { taskId, number, isNew } = accepted;
  const historyLength = request.configuration?.historyLength;
  const from = asAccepted(accepted, historyLength) ?? (await asRead(backend, call, taskId, historyLength));
  const until = (item: FeedItem): boolean => asksCallerOf(number, item);
  const items = backend.feeds.follow(call.scope, taskId, { from, until, preSubscription, signal: call.signal });
  // A scheduled task may begin in a year: its client gets the task at once.
  if (schedule) return items;
  // A retry gets the first answer: before the first event, that may still be a message.
  if (!isNew && from.seq > 1 && !from.isPlainMessage) return items;
  return messageOrItems(items, {
    holdMs,
    withdraw: () => backend.tasks.withdraw(call.scope, taskId),
  });
}

/**
 * The feed resumes right after the accepted message, so no event is missed. If the task waited for this message, the
 * client gets earlier contents only if it asks for history, because many clients would show them again.
 */
function asAccepted(accepted: Accepted, historyLength: number | undefined): FeedItem | undefined {
  const { task, statusAndMessage, seq, incarnation } = accepted;
  const begin = task ?? (historyLength === undefined ? statusAndMessage : undefined);
  if (begin === undefined) return undefined;
  return taskItem({ seq, incarnation, state: 'TASK_STATE_SUBMITTED', answered: 0 }, begin);
}

async function asRead(
  backend: Backend,
  call: Call,
  taskId: string,
  historyLength: number | undefined,
): Promise<FeedItem> {
  const reading = await backend.tasks.read(call.scope, taskId, { historyLength });
  if (!reading) throw taskNotFound(taskId);
  return taskItem(reading, reading.task ?? '');
}

/**
 * Whether the caller of message `number` is asked for input (A2A 11.7). A question of an earlier message's turn does
 * not count while this message waits. Authorization happens out of band (A2A 7.6), so auth-required is not a question.
 */
export function asksCallerOf(number: number, { state, answered }: FeedItem): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' && answered >= number;
}
