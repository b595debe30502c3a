import { A2AError } from '@switchyard/protocol';
import { type FeedItem, plainMessageIn, retain } from '@switchyard/store';
import type { StreamItem } from './operation.ts';

interface MessageHold {
  /** How long the task is held back for the agent's first event. */
  readonly holdMs: number;
  /** Call it when a message replaces the task. */
  readonly withdraw: () => Promise<void>;
}

/**
 * A stream has either a Message, or a task and its events (A2A 3.1.2), and only the agent knows which. So the task is
 * held back for a limited time, until the agent's first event.
 */
export async function* messageOrItems(
  items: AsyncIterable<FeedItem>,
  { holdMs, withdraw }: MessageHold,
): AsyncIterable<StreamItem> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    const task = await iterator.next();
    if (task.done) return;
    if (task.value.isPlainMessage) return yield messageItem(task.value);
    // The task counts as an answer in memory while it waits.
    const held = retain(task.value.json);
    const next = iterator.next();
    const first = await withTimeout(next, holdMs).finally(() => held?.[Symbol.dispose]());
    if (first?.value?.isPlainMessage) {
      await withdraw();
      return yield messageItem(first.value);
    }
    yield task.value;
    for (let item = await next; !item.done; item = await iterator.next()) yield item.value;
  } finally {
    await iterator.return?.();
  }
}

const messageItem = (item: FeedItem): StreamItem => ({ ...item, json: `{"message":${plainMessageOf(item)}}` });

/** Undefined when the time is over. */
async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  if (!Number.isFinite(ms)) return promise;
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * JSON of the plain Message with which an agent answered instead of a task. It names no task, because the caller has
 * none.
 */
export function plainMessageOf({ json }: FeedItem): string {
  const plainMessage = plainMessageIn(json);
  if (!plainMessage) throw new A2AError('InvalidAgentResponse', 'The agent answered with a message, but there is none');
  return plainMessage;
}
