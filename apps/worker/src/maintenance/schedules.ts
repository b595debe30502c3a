import type { BegunTasks, Schedules } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** How late a task may begin that was scheduled after the last poll. */
const POLL_EVERY_MS = 1_000;

/** Begins scheduled tasks that are due. Every worker does so, and each task is begun by one of them. */
export class ScheduledTasks {
  readonly #schedules: Pick<Schedules, 'begin'>;
  readonly #emit: Emit;
  readonly #poller: Poller;
  #timer: NodeJS.Timeout | undefined;

  constructor(schedules: Pick<Schedules, 'begin'>, emit: Emit) {
    this.#schedules = schedules;
    this.#emit = emit;
    const onError = (err: unknown): void => emit({ kind: 'error', where: 'schedules', err });
    this.#poller = new Poller({ everyMs: POLL_EVERY_MS, run: () => this.#begin(), onError });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#poller.stop();
    clearTimeout(this.#timer);
  }

  /** After a failure, only the timer tries again. */
  async #begin(): Promise<void> {
    const { tasks, refused, errors, nextInMs }: BegunTasks = await this.#schedules.begin();
    for (const task of tasks) this.#emit({ kind: 'scheduled-task-begun', ...task });
    for (const task of refused) this.#emit({ kind: 'scheduled-task-refused', ...task });
    for (const err of errors) this.#emit({ kind: 'error', where: 'schedules', err });
    clearTimeout(this.#timer);
    if (errors.length === 0 && nextInMs < POLL_EVERY_MS) this.#timer = setTimeout(this.#poller.request, nextInMs);
  }
}
