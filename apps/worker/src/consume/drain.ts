import { TurnInterruption } from '@switchyard/agent';
import type { DrainOrder, JobOutcome } from '@switchyard/store';

/** What takes work, as far as draining is concerned. */
export interface Drainable {
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/**
 * A worker that takes no more work: turns that run may end, for as long as the order says, and are given back then. It
 * can be undone.
 */
export class Drain {
  readonly #consumers: readonly Drainable[];
  #giveBack = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isOn = false;

  constructor(consumers: readonly Drainable[]) {
    this.#consumers = consumers;
  }

  /** Aborted when running turns are to be given back. Of the turns that begin now: after an `end` it is another one. */
  get signal(): AbortSignal {
    return this.#giveBack.signal;
  }

  /** A job that was on its way when the drain began goes back at once, at no cost. */
  async admit(run: () => Promise<JobOutcome>, giveBack: () => Promise<void>): Promise<JobOutcome> {
    if (!this.#isOn) return run();
    await giveBack();
    return 'hand-back';
  }

  async begin({ giveBackAfterMs }: DrainOrder): Promise<void> {
    this.#isOn = true;
    clearTimeout(this.#timer);
    const controller = this.#giveBack;
    const giveBack = (): void => controller.abort(new TurnInterruption('shutdown'));
    if (giveBackAfterMs !== undefined) this.#timer = setTimeout(giveBack, giveBackAfterMs);
    await Promise.all(this.#consumers.map((consumer) => consumer.pause()));
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isOn = false;
    if (this.signal.aborted) this.#giveBack = new AbortController();
    await Promise.all(this.#consumers.map((consumer) => consumer.resume()));
  }

  /** No turn runs any more: there is nothing to give back. */
  finish(): void {
    clearTimeout(this.#timer);
  }
}
