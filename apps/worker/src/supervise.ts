import type { Consumer, JobOutcome } from '@switchyard/store';
import type { Observe } from './observe.ts';

export interface SupervisedOptions<Job> {
  /** Of what is consumed: an agent, or push notifications. */
  readonly name: string;
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  readonly consume: (options: {
    readonly run: (job: Job) => Promise<JobOutcome>;
    readonly onError: (error: Error) => void;
  }) => Consumer;
  /** Jobs that wait for a consumer. */
  readonly waiting: () => Promise<number>;
  readonly run: (job: Job) => Promise<JobOutcome>;
  readonly observe: Observe;
}

/** Work waits and nothing was fetched for so long: the consumer is stuck. */
const STUCK_AFTER_MS = 5_000;

/**
 * A consumer of jobs, kept alive: one that fetches nothing although jobs wait and places are free (its blocking
 * connection went dead without a word) is replaced by a new one.
 */
export class SupervisedConsumer<Job> {
  readonly #options: SupervisedOptions<Job>;
  #consumer: Consumer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #fetchedAt = performance.now();

  constructor(options: SupervisedOptions<Job>) {
    this.#options = options;
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running;
  }

  async start(): Promise<void> {
    await this.#consume();
    this.#timer = setInterval(() => {
      this.#check().catch((error: unknown) => this.#options.observe({ kind: 'trouble', where: 'supervise', error }));
    }, STUCK_AFTER_MS);
  }

  /** Fetches no more jobs; those that run go on. */
  async pause(): Promise<void> {
    clearInterval(this.#timer);
    await this.#consumer?.pause();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#consumer?.stop();
  }

  async #consume(): Promise<void> {
    const { consume, observe } = this.#options;
    this.#consumer = consume({
      run: (job) => this.#run(job),
      onError: (error) => observe({ kind: 'trouble', where: 'queue', error }),
    });
    await this.#consumer.start();
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
    const { name, concurrency, observe } = this.#options;
    if (this.#running >= concurrency || performance.now() - this.#fetchedAt < STUCK_AFTER_MS) return;
    const waiting = await this.#options.waiting();
    if (!waiting || performance.now() - this.#fetchedAt < STUCK_AFTER_MS) return;
    observe({ kind: 'consumer-restarted', name, waiting });
    const stuck = this.#consumer;
    await this.#consume();
    await stuck?.stop();
  }
}
