import type { ExpectedTask, FeedItem } from '@switchyard/store';
import { startDeadline } from '../limits/deadline.ts';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';
import { untilAborted } from './until-aborted.ts';

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
  const { taskId, after, expected } = wait;
  using deadline = startDeadline(call.signal, wait.waitMs);
  const items = feeds.follow(call.scope, taskId, { after, expected, signal: deadline.signal });
  for await (const item of untilAborted(items, deadline.signal)) if (wait.until(item)) return item;
  return undefined;
}
