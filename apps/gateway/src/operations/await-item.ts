import type { ExpectedTask, FeedItem } from '@switchyard/store';
import { startDeadline } from '../limits/deadline.ts';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';

export interface Wait {
  readonly taskId: string;
  /** Where the feed goes on; unset: it begins with the task as it is. */
  readonly after?: number | undefined;
  readonly expected?: ExpectedTask | undefined;
  readonly waitMs: number;
  readonly until: (item: FeedItem) => boolean;
}

/** The first item that is waited for; undefined when time is up or the call was interrupted. No thread and no worker is held. */
export async function awaitItem({ feeds }: Backend, call: Call, wait: Wait): Promise<FeedItem | undefined> {
  const { taskId, after, expected, waitMs, until } = wait;
  using deadline = startDeadline(call.signal, waitMs);
  const { signal } = deadline;
  const items = feeds.follow(call.scope, taskId, { after, expected, signal });
  // A feed that waits for a Redis that is away is not woken by its signal.
  return await Promise.race([firstOf(items, until), untilAborted(signal)]);
}

async function firstOf(
  items: AsyncIterable<FeedItem>,
  isAwaited: (item: FeedItem) => boolean,
): Promise<FeedItem | undefined> {
  for await (const item of items) if (isAwaited(item)) return item;
  return undefined;
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const leave = (): void => resolve(undefined);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });
}
