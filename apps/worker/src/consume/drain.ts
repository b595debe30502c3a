import { TurnInterruption } from '@switchyard/agent';
import type { DrainRequest } from '@switchyard/operators';
import type { JobOutcome } from '@switchyard/store';

/** A source of work that a drain pauses. */
export interface Drainable {
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/**
 * Drains the worker: it takes no more work, and gives running turns back after the requested time. A drain can be
 * undone.
 */
export class Drain {
  readonly #consumers: readonly Drainable[];
  #release = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isOn = false;

  constructor(consumers: readonly Drainable[]) {
    this.#consumers = consumers;
  }

  /** Aborted when running turns must be given back. Read it when a turn begins: after `end` it is a new signal. */
  get signal(): AbortSignal {
    return this.#release.signal;
  }

  /** A job that was taken just before the drain began is given back at once; no attempt is spent. */
  async admit(run: () => Promise<JobOutcome>, release: () => Promise<void>): Promise<JobOutcome> {
    if (!this.#isOn) return run();
    await release();
    return 'requeue';
  }

  async begin({ giveBackAfterMs }: DrainRequest): Promise<void> {
    this.#isOn = true;
    clearTimeout(this.#timer);
    const controller = this.#release;
    const release = (): void => controller.abort(new TurnInterruption('shutdown'));
    if (giveBackAfterMs !== undefined) this.#timer = setTimeout(release, giveBackAfterMs);
    await Promise.all(this.#consumers.map((consumer) => consumer.pause()));
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isOn = false;
    if (this.signal.aborted) this.#release = new AbortController();
    await Promise.all(this.#consumers.map((consumer) => consumer.resume()));
  }

  /** Call it when no turn runs any more. */
  finish(): void {
    clearTimeout(this.#timer);
  }
}
