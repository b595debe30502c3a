import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, JobOutcome } from '@switchyard/store';
import type { Observe } from './observe.ts';
import { Reserve } from './reserve.ts';

export interface SupervisedOptions<Job> {
  /** Of what is consumed: an agent, or push notifications. */
  readonly name: string;
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  readonly consume: (options: {
    /** It runs only jobs that are waited for. */
    readonly isChoosy: boolean;
    readonly run: (job: Job) => Promise<JobOutcome>;
    readonly onError: (error: Error) => void;
  }) => Consumer;
  /** Wakes a consumer, here or elsewhere, if jobs wait; how many do. */
  readonly wake: () => Promise<number>;
  readonly run: (job: Job) => Promise<JobOutcome>;
  /** Another job that runs waits for this one. Default: none does. */
  readonly isAwaited?: (job: Job) => boolean;
  readonly observe: Observe;
}

/** A place of the reserve that came upon new work, which is not for it, looks again after so long. */
const LOOK_AGAIN_MS = 50;
/** Nothing was fetched for so long: should jobs wait, whoever was woken for them may be dead. */
const IDLE_AFTER_MS = 1_000;
/** Jobs wait and nothing was fetched for so long: the consumer is stuck. */
const STUCK_AFTER_MS = 5_000;

/**
 * A consumer of jobs, kept alive: one that fetches nothing although jobs wait and places are free is woken, and replaced by
 * a new one if that is in vain (its blocking connection went dead without a word).
 */
export class SupervisedConsumer<Job> {
  readonly #options: SupervisedOptions<Job>;
  readonly #reserve: Reserve;
  #consumer: Consumer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #fetchedAt = performance.now();
  /** When there was last nothing to fetch, as far as we know. */
  #emptyAt = performance.now();
  #isChecking = false;
  #isPaused = false;

  constructor(options: SupervisedOptions<Job>) {
    this.#options = options;
    this.#reserve = new Reserve(options.concurrency, () => this.#consumeMore());
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running;
  }

  /**
   * A job that waits for other jobs leaves its place to one of them: jobs that fill every place cannot all wait for each other.
   * When it goes on there may for a moment be more that work than there are places.
   */
  lend<T>(wait: () => Promise<T>): Promise<T> {
    return this.#reserve.lend(wait);
  }

  async start(): Promise<void> {
    await this.#consume();
    this.#watch();
  }

  /** Fetches no more jobs; those that run go on. */
  async pause(): Promise<void> {
    clearInterval(this.#timer);
    this.#isPaused = true;
    await Promise.all([this.#consumer?.pause(), this.#reserve.pause()]);
  }

  /** Fetches jobs again. */
  async resume(): Promise<void> {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    await Promise.all([this.#consumer?.resume(), this.#reserve.resume()]);
    if (!this.#isPaused) this.#watch();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isPaused = true;
    await Promise.all([this.#consumer?.stop(), this.#reserve.stop()]);
  }

  #watch(): void {
    this.#timer = setInterval(() => {
      this.#check().catch((error: unknown) => this.#options.observe({ kind: 'trouble', where: 'supervise', error }));
    }, IDLE_AFTER_MS);
  }

  async #consume(): Promise<void> {
    this.#consumer = this.#open(false, (job) => this.#run(job));
    await this.#consumer.start();
  }

  /** Jobs that are waited for are first in their queue: whoever meets another one knows that there are none. */
  #consumeMore(): Consumer {
    const { isAwaited = () => false, observe } = this.#options;
    const trouble = (error: unknown): void => observe({ kind: 'trouble', where: 'reserve', error });
    const rest = async (): Promise<void> => {
      await consumer.pause();
      await delay(LOOK_AGAIN_MS);
      if (this.#reserve.isTaking(consumer)) await consumer.resume();
    };
    const consumer = this.#open(true, async (job) => {
      if (isAwaited(job)) return this.#run(job);
      rest().catch(trouble);
      // To the end of its queue: at the front it would stand before a job that is waited for and has come meanwhile.
      return { retryAfterMs: LOOK_AGAIN_MS };
    });
    consumer.start().catch(trouble);
    return consumer;
  }

  #open(isChoosy: boolean, run: (job: Job) => Promise<JobOutcome>): Consumer {
    const { consume, observe } = this.#options;
    return consume({ isChoosy, run, onError: (error) => observe({ kind: 'trouble', where: 'queue', error }) });
  }

  async #run(job: Job): Promise<JobOutcome> {
    this.#fetchedAt = performance.now();
    this.#running++;
    try {
      return await this.#options.run(job);
    } finally {
      this.#running--;
      this.#fetchedAt = performance.now();
    }
  }

  async #check(): Promise<void> {
    if (this.#isChecking || this.#running >= this.#options.concurrency || this.#idleMs < IDLE_AFTER_MS) return;
    this.#isChecking = true; // while Redis is away one check waits for it, and not one a second
    try {
      const waiting = await this.#options.wake();
      if (!waiting || this.#isPaused) this.#emptyAt = performance.now();
      else if (Math.min(this.#idleMs, performance.now() - this.#emptyAt) >= STUCK_AFTER_MS)
        await this.#replace(waiting);
    } finally {
      this.#isChecking = false;
    }
  }

  get #idleMs(): number {
    return performance.now() - this.#fetchedAt;
  }

  async #replace(waiting: number): Promise<void> {
    const { name, observe } = this.#options;
    observe({ kind: 'consumer-restarted', name, waiting });
    this.#emptyAt = performance.now();
    const stuck = this.#consumer;
    await this.#consume();
    // It may never have stopped: it waits for the very connection that is dead. Nobody waits with it, the next check least of all.
    stuck?.stop().catch((error: unknown) => observe({ kind: 'trouble', where: 'supervise', error }));
  }
}
