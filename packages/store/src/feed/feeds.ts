import { isTerminal, type Message, type TaskState } from '@switchyard/protocol';
import type { Scope } from '../principal.ts';
import type { Channels } from '../redis/channels.ts';
import { type CachedReadPort, readStanding, readTask } from '../tasks/read.ts';
import { anchorOf } from '../tasks/submission.ts';
import { ExpectedTasks } from './expected-tasks.ts';
import { type FeedEvent, type FeedItem, parseEntry } from './feed-item.ts';
import type { Reader } from './reader.ts';
import { TaskListener } from './task-listener.ts';

/** Events that are read from the stream at once. */
const PAGE_SIZE = 64;

/** A task that may be about to be made, and whose every event is heard. It is followed, or disposed of. */
export type ExpectedTask = TaskListener;

export interface FollowOptions {
  /** Goes on behind the event of this seq (Last-Event-ID) instead of beginning with the task as it is. */
  readonly after?: number | undefined;
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

interface Followed {
  readonly scope: Scope;
  readonly taskId: string;
  readonly channel: string;
  readonly reader: Reader;
}

interface Position {
  readonly seq: number;
  readonly state: TaskState;
  readonly released: number;
}

/** Where a task begins that nobody else knows yet. */
const BEGINNING: Position = { seq: 1, state: 'TASK_STATE_SUBMITTED', released: 0 };

/** The feeds of one process: any number of tasks and readers over one subscriber connection. */
export class Feeds {
  readonly #port: CachedReadPort;
  readonly #channels: Channels;
  readonly #expected: ExpectedTasks;
  readonly #checkMs: number;
  readonly #open = new Set<Followed>();
  #timer: NodeJS.Timeout | undefined;

  constructor(port: CachedReadPort, channels: Channels, checkMs: number) {
    this.#port = port;
    this.#channels = channels;
    this.#expected = new ExpectedTasks(port.shards, channels);
    this.#checkMs = checkMs;
  }

  start(): void {
    const check = (): void => void this.#check().catch(() => undefined); // no Redis just now: the next check asks again
    this.#channels.onReconnect(check);
    this.#timer = setInterval(check, this.#checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const { reader } of this.#open) reader.end();
  }

  /** Feeds that are open now. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * For a message that may make a task, before it is accepted: whoever has it accepted with this id, and then follows it, has
   * missed nothing, and Redis need not be asked. Undefined: there is none just now, and nothing is lost by that.
   */
  expect(scope: Scope, message: Message): ExpectedTask | undefined {
    const taskId = this.#expected.take(anchorOf(scope, message));
    return taskId === undefined ? undefined : this.#listenTo(taskId);
  }

  /**
   * First the task as it is; then each later event, once and in order. Where the stream no longer reaches back, a fresh
   * task stands for what is missing. Ends with the terminal state, or with the signal.
   * @throws {TaskMissing}
   */
  async *follow(scope: Scope, taskId: string, options: FollowOptions = {}): AsyncGenerator<FeedItem, void> {
    const { after, expected, signal } = options;
    const isExpected = expected?.taskId === taskId;
    using listener = isExpected ? expected : this.#listenTo(taskId);
    const isBeginning = isExpected && listener.hasMissedNothing;
    const { channel, reader } = listener;
    const followed = { scope, taskId, channel, reader };
    const stop = (): void => reader.end(); // a generator that waits cannot be returned from outside: it must be woken
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    this.#open.add(followed);
    try {
      await listener.isListening;
      yield* this.#deliver(followed, after, isBeginning ? BEGINNING : undefined);
    } finally {
      this.#open.delete(followed);
      signal?.removeEventListener('abort', stop);
    }
  }

  #listenTo(taskId: string): TaskListener {
    return new TaskListener(this.#channels, taskId, this.#port.shards.of(taskId).events(taskId));
  }

  async *#deliver(
    followed: Followed,
    after: number | undefined,
    beginning: Position | undefined,
  ): AsyncGenerator<FeedItem, void> {
    const { reader } = followed;
    let position: Position;
    if (after === undefined) {
      const task = await this.#snapshot(followed);
      yield task;
      position = task;
    } else {
      position = beginning ?? (await this.#position(followed));
    }
    reader.passed(after ?? position.seq);
    reader.hear(position.seq, reader.last);
    let { released } = position;
    while (!reader.ended && !(isTerminal(position.state) && position.seq === reader.last)) {
      for (const event of await this.#next(followed)) {
        if (reader.ended) return;
        released = Math.max(released, event.released ?? 0);
        const item: FeedItem = { kind: 'event', ...event, released };
        position = item;
        reader.passed(item.seq);
        yield item;
      }
    }
  }

  /** What follows, as far as it is there; nothing after news that may bring something. */
  async #next(followed: Followed): Promise<readonly (FeedEvent | FeedItem)[]> {
    const { reader } = followed;
    const buffered = reader.take();
    if (buffered) return buffered;
    if (reader.isBehind) return this.#missing(followed);
    await reader.news();
    return [];
  }

  /** The events behind the last one from the stream; if it was trimmed or has expired, a fresh task. */
  async #missing(followed: Followed): Promise<readonly (FeedEvent | FeedItem)[]> {
    const { reader, channel } = followed;
    const next = reader.last + 1;
    const entries = reader.lost ? [] : await this.#port.redis.xrange(channel, `${next}-0`, '+', 'COUNT', PAGE_SIZE);
    const events = entries.map(parseEntry);
    if (events[0]?.seq === next) return events;
    reader.restart();
    return [await this.#snapshot(followed)];
  }

  async #snapshot({ scope, taskId }: Followed): Promise<FeedItem> {
    const reading = await readTask(this.#port, scope, taskId);
    if (reading?.task === undefined) throw new TaskMissing(taskId);
    const { seq, state, released, task } = reading;
    return { kind: 'task', seq, state, released, isReply: false, json: task.toString() };
  }

  async #position({ scope, taskId }: Followed): Promise<Position> {
    const standing = await readStanding(this.#port, scope, taskId);
    if (!standing) throw new TaskMissing(taskId);
    return standing;
  }

  async #check(): Promise<void> {
    await Promise.all(
      [...this.#open].map(async (followed) => {
        const { last } = followed.reader; // as it was before asking: what has been delivered by now was written by then
        const position = await this.#position(followed).catch(() => undefined);
        if (position) followed.reader.hear(position.seq, last);
      }),
    );
  }
}
