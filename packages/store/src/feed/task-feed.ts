import { isTerminal } from '@switchyard/protocol';
import { readStream } from '@switchyard/redis';
import type { Scope } from '../deployment/scope.ts';
import { type CachedReadDependencies, readPosition, readTask } from '../tasks/read/read.ts';
import { bytesOf, type EventBuffer } from './event-buffer.ts';
import { type EventId, type FeedEvent, type FeedItem, type Position, parseEvent, taskItem } from './feed-item.ts';
import { type ListenerDependencies, TaskListener } from './task-listener.ts';

/** Limits of one read of the stream. */
const PAGE = { events: 65, bytes: 256 * 1_024 };

/** A channel that was subscribed before its task is created. Follow it, or dispose of it. */
export type PreSubscription = TaskListener;

/** A reader of a task's events, for operators. */
export interface FeedReader {
  readonly kind: ReaderKind;
  /** Number of the last event that it has taken. */
  readonly seq: number;
  /** Number of events that it has not taken yet. */
  readonly behind: number;
  /** ISO time. */
  readonly since: string;
  readonly bufferedBytes: number;
}

/** What reads the events: a stream, a blocking send, a poll that waits for a change, or an operator. */
export type ReaderKind = 'stream' | 'send' | 'poll' | 'operator';

export interface FollowOptions {
  /** Default: a stream. */
  readonly as?: ReaderKind | undefined;
  /** Begins with this item, which was just read, instead of the current task. */
  readonly from?: FeedItem | undefined;
  /** Resumes after this event (Last-Event-ID; without an incarnation it matches any) instead of the current task. */
  readonly after?: EventId | undefined;
  /** The feed ends with the first item that matches. */
  readonly until?: ((item: FeedItem) => boolean) | undefined;
  /** The one whose id the task was created with. */
  readonly preSubscription?: PreSubscription | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** This scope has no such task, or it has expired. */
export class TaskMissing extends Error {
  override readonly name = 'TaskMissing';

  constructor(taskId: string) {
    super(`There is no task ${taskId}.`);
  }
}

/** What all feeds share. */
export interface FeedDependencies extends ListenerDependencies {
  readonly readDependencies: CachedReadDependencies;
  /** The feeds that have begun to listen and have not ended. */
  readonly open: Set<TaskFeed>;
}

type Page = (FeedEvent | FeedItem)[];

/** The position of a new task, before its first event. */
const BEGINNING: Position = { seq: 1, incarnation: 0, state: 'TASK_STATE_SUBMITTED', answered: 0 };

/**
 * Reads the events of a task for one reader (see Feeds.follow). Listens from the first `next` that waits until its end,
 * and keeps nothing that it has delivered: feeds stay open for days, and there are many of them.
 */
export class TaskFeed implements AsyncIterableIterator<FeedItem, void> {
  readonly #dependencies: FeedDependencies;
  readonly #scope: Scope;
  readonly #kind: ReaderKind;
  readonly #sinceMs = Date.now();
  readonly #taskId: string;
  readonly #after: EventId | undefined;
  readonly #until: FollowOptions['until'];
  readonly #preSubscription: PreSubscription | undefined;
  readonly #signal: AbortSignal | undefined;
  #listener: TaskListener | undefined;
  /** Not counted in the budget: a feed that is never read and never ended could not give it back. */
  #from: FeedItem | undefined;
  /** Events that were read and not delivered yet. */
  #page: Page = [];
  #position: Position | undefined;
  /** The feed has caught up: events that are missing later are a gap. */
  #isLive = false;
  #isEnded = false;

  constructor(
    dependencies: FeedDependencies,
    scope: Scope,
    taskId: string,
    { as = 'stream', from, after, until, preSubscription, signal }: FollowOptions,
  ) {
    this.#dependencies = dependencies;
    this.#scope = scope;
    this.#kind = as;
    this.#taskId = taskId;
    this.#from = from;
    this.#after = from ? { seq: from.seq, incarnation: from.incarnation } : after;
    this.#until = until;
    this.#preSubscription = preSubscription?.taskId === taskId ? preSubscription : undefined;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws {TaskMissing} */
  async next(): Promise<IteratorResult<FeedItem, void>> {
    try {
      while (!this.#isEnded) {
        const item = this.#take();
        if (item) return { done: false, value: this.#deliver(item) };
        if (this.#isOver) break;
        this.#keep((await (this.#listener ? this.#following(this.#listener) : this.#listen())) ?? []);
      }
    } catch (error) {
      this.#close();
      throw error;
    }
    return this.return();
  }

  async return(): Promise<IteratorReturnResult<void>> {
    this.#close();
    return { done: true, value: undefined };
  }

  /** Ends the feed, also while `next` waits. */
  readonly end = (): void => {
    this.#isEnded = true;
    this.#listener?.buffer.wake();
  };

  /** Compares with Redis, which may have more events, or fewer. A missing task ends the feed with the error. */
  async check(): Promise<void> {
    const buffer = this.#listener?.buffer;
    if (!buffer) return;
    const { last } = buffer; // taken before the read: events that arrive meanwhile are not missing
    try {
      buffer.compare(await this.#currentPosition(), last);
    } catch (error) {
      // Redis may be unreachable: the next check tries again.
      if (error instanceof TaskMissing) buffer.fail(error);
    }
  }

  get channel(): string {
    return this.#listener?.channel ?? '';
  }

  /** @returns undefined: it follows another task, or does not listen yet */
  readerOf(taskId: string): FeedReader | undefined {
    const buffer = this.#listener?.buffer;
    if (!buffer || taskId !== this.#taskId) return undefined;
    const since = new Date(this.#sinceMs).toISOString();
    return { kind: this.#kind, seq: buffer.last.seq, behind: buffer.behind, since, bufferedBytes: buffer.bytes };
  }

  get #isOver(): boolean {
    if (!this.#position) return false;
    const { state, seq } = this.#position;
    if (!isTerminal(state) || !this.#listener) return isTerminal(state);
    const { isForked, last } = this.#listener.buffer;
    return !isForked && last.seq === seq;
  }

  #keep(page: Page): void {
    this.#page = page;
    for (const item of page) this.#dependencies.budget.take(bytesOf(item));
  }

  #take(): FeedEvent | FeedItem | undefined {
    const from = this.#from;
    this.#from = undefined;
    if (from) return from;
    const item = this.#page.shift();
    if (item) this.#dependencies.budget.give(bytesOf(item));
    return item;
  }

  #deliver(next: FeedEvent | FeedItem): FeedItem {
    const { seq, incarnation, state, isPlainMessage, json } = next;
    const kind = 'kind' in next ? next.kind : 'event';
    const answered = Math.max(this.#position?.answered ?? 0, next.answered ?? 0);
    this.#position = { seq, incarnation, state, answered };
    this.#listener?.buffer.delivered(this.#position);
    const item: FeedItem = { kind, seq, incarnation, state, answered, isPlainMessage, json };
    if (this.#until?.(item)) this.#isEnded = true;
    return item;
  }

  /** Subscribes, and reads where the feed begins. */
  async #listen(): Promise<Page> {
    const { open } = this.#dependencies;
    const listener = this.#preSubscription ?? new TaskListener(this.#dependencies, this.#taskId);
    const isBeginning = this.#preSubscription?.isComplete;
    this.#listener = listener;
    open.add(this);
    this.#signal?.addEventListener('abort', this.end, { once: true });
    if (this.#signal?.aborted) this.end();
    await listener.isListening;
    if (this.#after === undefined) return [await this.#snapshot()];
    const position = isBeginning ? BEGINNING : await this.#currentPosition();
    this.#position = position;
    listener.buffer.delivered(this.#after);
    listener.buffer.compare(position, this.#after);
    return [];
  }

  /** The next events if there are any; otherwise waits, and returns undefined once there may be some. */
  #following({ buffer, channel }: TaskListener): Page | undefined | Promise<Page | undefined> {
    const next = buffer.take();
    if (next) return next;
    if (buffer.isBehind) return this.#missing(buffer, channel);
    this.#isLive = true;
    return buffer.change();
  }

  /** The events after the last one, from the stream; a snapshot of the task if the stream does not hold them. */
  async #missing(buffer: EventBuffer, channel: string): Promise<Page> {
    const events = buffer.isForked ? undefined : await this.#readAfter(buffer.last, channel);
    if (this.#isLive) this.#dependencies.observer.gapFilled(events ? 'stream' : 'snapshot');
    if (events) return events;
    buffer.restart();
    return [await this.#snapshot()];
  }

  async #readAfter(last: EventId, channel: string): Promise<Page | undefined> {
    const { readDependencies, budget } = this.#dependencies;
    // The last event is read again: after a fail-over another one may have its number.
    const from = last.incarnation === undefined || last.seq === 0 ? last.seq + 1 : last.seq;
    const bytes = budget.hasRoomFor(PAGE.bytes) ? PAGE.bytes : 0;
    const stored = await readStream(readDependencies.redis, channel, { from: `${from}-0`, limit: PAGE.events, bytes });
    const events = stored.map(parseEvent);
    const isSame = from > last.seq || isSameEvent(events.shift(), last);
    return isSame && events[0]?.seq === last.seq + 1 ? events : undefined;
  }

  async #snapshot(): Promise<FeedItem> {
    const reading = await readTask(this.#dependencies.readDependencies, this.#scope, this.#taskId);
    if (reading?.task === undefined) throw new TaskMissing(this.#taskId);
    return taskItem(reading, reading.task);
  }

  async #currentPosition(): Promise<Position> {
    const position = await readPosition(this.#dependencies.readDependencies, this.#scope, this.#taskId);
    if (!position) throw new TaskMissing(this.#taskId);
    return position;
  }

  #close(): void {
    this.end();
    for (const item of this.#page) this.#dependencies.budget.give(bytesOf(item));
    this.#page = [];
    this.#from = undefined;
    this.#dependencies.open.delete(this);
    this.#listener?.[Symbol.dispose]();
    this.#signal?.removeEventListener('abort', this.end);
  }
}

function isSameEvent(one: EventId | undefined, other: EventId): boolean {
  return one?.seq === other.seq && one.incarnation === other.incarnation;
}
