import type { Channels } from '@switchyard/redis';
import type { Observer } from '../deployment/observer.ts';
import type { Scope } from '../deployment/scope.ts';
import type { StoreSettings } from '../deployment/settings.ts';
import { type Submission, shardSeedOf } from '../tasks/accept/submission.ts';
import { ByteBudget } from '../tasks/read/byte-budget.ts';
import type { CachedReadDependencies } from '../tasks/read/read.ts';
import type { FeedItem } from './feed-item.ts';
import { PreSubscriptions } from './pre-subscriptions.ts';
import {
  type FeedDependencies,
  type FeedReader,
  type FollowOptions,
  type PreSubscription,
  TaskFeed,
} from './task-feed.ts';
import { TaskListener } from './task-listener.ts';

export type FeedSettings = Pick<StoreSettings, 'feedCheckMs' | 'feedBufferBytes'>;

/** The feeds of one process: any number of tasks and readers over one connection to each server that publishes. */
export class Feeds {
  readonly #dependencies: FeedDependencies;
  readonly #preSubscriptions: PreSubscriptions;
  readonly #checkMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readDependencies: CachedReadDependencies & { readonly observer: Observer },
    channels: Channels,
    { feedCheckMs, feedBufferBytes }: FeedSettings,
  ) {
    const { observer } = readDependencies;
    this.#dependencies = {
      readDependencies,
      observer,
      channels,
      budget: new ByteBudget(feedBufferBytes),
      open: new Set(),
    };
    this.#preSubscriptions = new PreSubscriptions(readDependencies.shards, channels);
    this.#checkMs = feedCheckMs;
  }

  start(): void {
    this.#dependencies.channels.onReconnect((isLost) => {
      for (const feed of this.#dependencies.open) if (isLost(feed.channel)) void feed.check();
    });
    const checkAll = (): void => {
      for (const feed of this.#dependencies.open) void feed.check();
    };
    this.#timer = setInterval(checkAll, this.#checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const feed of this.#dependencies.open) feed.end();
  }

  /** Number of open feeds. */
  get size(): number {
    return this.#dependencies.open.size;
  }

  /** The readers of a task's events in this process. */
  readersOf(taskId: string): FeedReader[] {
    return [...this.#dependencies.open].flatMap((feed) => feed.readerOf(taskId) ?? []);
  }

  /** Memory that is held for the readers of all feeds. */
  get heldBytes(): number {
    return this.#dependencies.budget.reserved;
  }

  /**
   * A pre-subscription for a message that may create a task. Accept the message with its id: a feed of the task then
   * needs no round trip to Redis. Undefined: none is ready, and the feed subscribes by itself.
   */
  presubscribe(scope: Scope, submission: Pick<Submission, 'message' | 'idempotencyKey'>): PreSubscription | undefined {
    const taskId = this.#preSubscriptions.take(shardSeedOf(scope, submission));
    if (taskId === undefined) return undefined;
    return new TaskListener(this.#dependencies, taskId);
  }

  /**
   * Yields the current task, then each later event once and in order. Where the stream no longer has the next event, a
   * snapshot of the task takes its place. Ends with the terminal state, or with the signal; `next` rejects with
   * `TaskMissing` if this scope has no such task, or it has expired.
   */
  follow(scope: Scope, taskId: string, options: FollowOptions = {}): AsyncIterableIterator<FeedItem, void> {
    return new TaskFeed(this.#dependencies, scope, taskId, options);
  }
}
