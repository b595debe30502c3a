import type { EventId, FeedItem, PreSubscription, ReaderKind } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';

export interface Wait {
  /** The kind of held request. Default: a call that waits for its answer. */
  readonly as?: ReaderKind;
  readonly taskId: string;
  /** The feed resumes after it; unset: it begins with the current task. */
  readonly after?: EventId | undefined;
  readonly preSubscription?: PreSubscription | undefined;
  readonly waitMs: number;
  readonly until: (item: FeedItem) => boolean;
}

/** The first matching item; undefined when the time is over or the call was interrupted. Occupies no worker. */
export async function awaitItem(
  { feeds }: Backend,
  { scope, signal }: Call,
  wait: Wait,
): Promise<FeedItem | undefined> {
  const { as = 'send', taskId, after, preSubscription, waitMs, until } = wait;
  const items = feeds.follow(scope, taskId, { as, after, preSubscription });
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const giveUp = (): void => end(undefined);
  // Node has no infinite timer.
  const timer = Number.isFinite(waitMs) ? setTimeout(giveUp, waitMs) : undefined;
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    // While Redis is unreachable the feed cannot end by itself.
    return await Promise.race([firstOf(items, until), ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    void items.return?.();
  }
}

/** Not `for await`: it would keep a skipped item, which may be a large task, in memory until the next one. */
async function firstOf(
  items: AsyncIterator<FeedItem, void>,
  isAwaited: (item: FeedItem) => boolean,
): Promise<FeedItem | undefined> {
  const next = async (): Promise<FeedItem | 'skipped' | undefined> => {
    const { done, value } = await items.next();
    if (done) return undefined;
    return isAwaited(value) ? value : 'skipped';
  };
  let found = await next();
  while (found === 'skipped') found = await next();
  return found;
}
