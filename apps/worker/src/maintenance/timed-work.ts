import { type BegunTasks, ScheduledTasks } from '@switchyard/schedules';
import type { DueTasks, KeepFiles, RejectedMessages, Shard, Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { PartPoller } from '../timing/timing.ts';

/** Shards are checked once a second. */
const SOON_MS = 1_000;
const ALL_EVERY_MS = 30_000;

/**
 * Begins scheduled tasks, resumes suspended turns, and rejects messages that nobody has begun, when their times come.
 * One worker at a time is told of them, and each is handled by one.
 */
export class TimedWork {
  readonly #store: Pick<Store, 'inside' | 'waits' | 'timesToLive' | 'dueWork'>;
  readonly #scheduledTasks: ScheduledTasks;
  readonly #emit: Emit;
  readonly #keepFiles: KeepFiles;
  readonly #poller: PartPoller<Shard>;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;

  constructor(store: Pick<Store, 'inside' | 'waits' | 'timesToLive' | 'dueWork'>, emit: Emit, keepFiles: KeepFiles) {
    this.#store = store;
    this.#scheduledTasks = new ScheduledTasks(store.inside);
    this.#emit = emit;
    this.#keepFiles = keepFiles;
    const onError = (err: unknown): void => emit({ kind: 'error', where: 'schedules', err });
    this.#poller = new PartPoller({ everyMs: ALL_EVERY_MS, run: (shards) => this.#begin(shards), onError });
  }

  start(): void {
    this.#unlisten = this.#store.dueWork.listen('timed', this.#poller.request);
    this.#poller.start();
    this.#poller.request();
  }

  async stop(): Promise<void> {
    this.#unlisten?.();
    clearTimeout(this.#timer);
    await this.#poller.stop();
    clearTimeout(this.#timer);
  }

  /** After a failure, only the timer tries again. */
  async #begin(shards: readonly Shard[] | undefined): Promise<void> {
    const [begun, resumed, rejected]: [BegunTasks, DueTasks, RejectedMessages] = await Promise.all([
      this.#scheduledTasks.begin(shards, this.#keepFiles),
      this.#store.waits.resume(shards),
      this.#store.timesToLive.reject(shards),
    ]);
    const { tasks, refused } = begun;
    const errors = [...begun.errors, ...resumed.errors, ...rejected.errors];
    const nextInMs = Math.min(begun.nextInMs, resumed.nextInMs, rejected.nextInMs);
    if (resumed.count > 0) this.#emit({ kind: 'turns-resumed', count: resumed.count });
    for (const message of rejected.messages) this.#emit({ kind: 'message-rejected', ...message });
    for (const task of tasks) this.#emit({ kind: 'scheduled-task-begun', ...task });
    for (const task of refused) this.#emit({ kind: 'scheduled-task-refused', ...task });
    for (const err of errors) this.#emit({ kind: 'error', where: 'schedules', err });
    clearTimeout(this.#timer);
    if (errors.length > 0 || nextInMs >= SOON_MS) return;
    this.#timer = setTimeout(() => {
      for (const shard of shards ?? [undefined]) this.#poller.request(shard);
    }, nextInMs);
  }
}
