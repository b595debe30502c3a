import { isTerminal } from '@switchyard/protocol';
import type { Scope } from '../principal.ts';
import type { Channels } from '../redis/channels.ts';
import { type CachedReadPort, readStanding, readTask } from '../tasks/read.ts';
import { type FeedEvent, type FeedItem, type Position, parseEntry, taskItem } from './feed-item.ts';
import type { Reader } from './reader.ts';
import { TaskListener } from './task-listener.ts';

/** Events that are read from the stream at once. */
const PAGE_SIZE = 64;

/** A task that may be about to be made, and whose every event is heard. It is followed, or disposed of. */
export type ExpectedTask = TaskListener;

export interface FollowOptions {
  /** Begins with this item, which has just been read, instead of the task as it is. */
  readonly from?: FeedItem | undefined;
  /** Goes on behind the event of this seq (Last-Event-ID) instead of beginning with the task as it is. */
  readonly after?: number | undefined;
  /** Ends with the first item that this is true of. */
  readonly until?: ((item: FeedItem) => boolean) | undefined;
  /** The task was made under this expectation. */
  readonly expected?: ExpectedTask | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** No such task in this scope, or no longer. */
export class TaskMissing extends Error {
  override readonly name = 'TaskMissing';

  constructor(taskId: string) {
    super(`There is no task ${taskId}.`);
  }
}

/** What feeds stand on. */
export interface FeedPort {
  readonly reads: CachedReadPort;
  readonly channels: Channels;
  /** The feeds that listen. */
  readonly open: Set<TaskFeed>;
}

type Page = (FeedEvent | FeedItem)[];

/** Where a task begins that nobody else knows yet. */
const BEGINNING: Position = { seq: 1, state: 'TASK_STATE_SUBMITTED', released: 0 };

/**
 * One reader's way through the events of a task (see Feeds.follow). Listens from the first `next` that waits until it ends, and
 * keeps nothing of what it has delivered: feeds stay open for days, and there are many of them.
 */
export class TaskFeed implements AsyncIterableIterator<FeedItem, void> {
  readonly #port: FeedPort;
  readonly #scope: Scope;
  readonly #taskId: string;
  readonly #after: number | undefined;
  readonly #until: FollowOptions['until'];
  readonly #expected: ExpectedTask | undefined;
  readonly #signal: AbortSignal | undefined;
  #listener: TaskListener | undefined;
  /** What is there, and not delivered yet. */
  #page: Page;
  #position: Position | undefined;
  #isEnded = false;

  constructor(port: FeedPort, scope: Scope, taskId: string, { from, after, until, expected, signal }: FollowOptions) {
    this.#port = port;
    this.#scope = scope;
    this.#taskId = taskId;
    this.#after = from ? from.seq : after;
    this.#until = until;
    this.#expected = expected?.taskId === taskId ? expected : undefined;
    this.#signal = signal;
    this.#page = from ? [from] : [];
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws {TaskMissing} */
  async next(): Promise<IteratorResult<FeedItem, void>> {
    try {
      while (!this.#isOver) {
        const item = this.#page.shift();
        if (item) return { done: false, value: this.#pass(item) };
        this.#page = (await (this.#listener ? this.#following(this.#listener) : this.#listen())) ?? [];
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

  /** It ends, also if `next` waits for news just now. */
  readonly end = (): void => {
    this.#isEnded = true;
    this.#listener?.reader.wake();
  };

  /** Asks Redis whether there is more, or less, than was heard. */
  async check(): Promise<void> {
    const reader = this.#listener?.reader;
    if (!reader) return;
    const { last } = reader; // as it was before asking: what has been delivered by now was written by then
    const position = await this.#standing().catch(() => undefined);
    if (position) reader.hear(position.seq, last);
  }

  get #isOver(): boolean {
    if (this.#isEnded || !this.#position) return this.#isEnded;
    const { state, seq } = this.#position;
    return isTerminal(state) && (!this.#listener || this.#listener.reader.last === seq);
  }

  #pass(event: FeedEvent | FeedItem): FeedItem {
    const released = Math.max(this.#position?.released ?? 0, event.released ?? 0);
    const item: FeedItem = { kind: 'event', ...event, released };
    this.#position = { seq: item.seq, state: item.state, released };
    this.#listener?.reader.passed(item.seq);
    if (this.#until?.(item)) this.#isEnded = true;
    return item;
  }

  /** Where the feed begins. */
  async #listen(): Promise<Page> {
    const { reads, channels, open } = this.#port;
    const listener = this.#expected ?? new TaskListener(channels, reads.shards, this.#taskId);
    const isBeginning = this.#expected?.hasMissedNothing;
    this.#listener = listener;
    open.add(this);
    this.#signal?.addEventListener('abort', this.end, { once: true });
    if (this.#signal?.aborted) this.end();
    await listener.isListening;
    if (this.#after === undefined) return [await this.#snapshot()];
    const position = isBeginning ? BEGINNING : await this.#standing();
    this.#position = position;
    listener.reader.passed(this.#after);
    listener.reader.hear(position.seq, this.#after);
    return [];
  }

  /** What follows, as far as it is there; nothing after news that may bring something. */
  #following({ reader, channel }: TaskListener): Page | undefined | Promise<Page | undefined> {
    return reader.take() ?? (reader.isBehind ? this.#missing(reader, channel) : reader.news());
  }

  /** The events behind the last one from the stream; if it was trimmed or has expired, a fresh task. */
  async #missing(reader: Reader, channel: string): Promise<Page> {
    const { redis } = this.#port.reads;
    const next = reader.last + 1;
    const entries = reader.lost ? [] : await redis.xrange(channel, `${next}-0`, '+', 'COUNT', PAGE_SIZE);
    const events = entries.map(parseEntry);
    if (events[0]?.seq === next) return events;
    reader.restart();
    return [await this.#snapshot()];
  }

  async #snapshot(): Promise<FeedItem> {
    const reading = await readTask(this.#port.reads, this.#scope, this.#taskId);
    if (reading?.task === undefined) throw new TaskMissing(this.#taskId);
    return taskItem(reading, reading.task);
  }

  async #standing(): Promise<Position> {
    const standing = await readStanding(this.#port.reads, this.#scope, this.#taskId);
    if (!standing) throw new TaskMissing(this.#taskId);
    return standing;
  }

  #close(): void {
    this.end();
    this.#page = [];
    this.#port.open.delete(this);
    this.#listener?.[Symbol.dispose]();
    this.#signal?.removeEventListener('abort', this.end);
  }
}
