import type { Agent } from '@switchyard/agent';
import type { Consumer, JobOutcome, Store, TurnJob } from '@switchyard/store';
import type { Observe } from './observe.ts';

export interface SupervisedOptions {
  readonly store: Store;
  readonly agent: Agent;
  readonly observe: Observe;
  readonly run: (job: TurnJob) => Promise<JobOutcome>;
}

/** Work waits and nothing was fetched for so long: the consumer is stuck. */
const STUCK_AFTER_MS = 5_000;

/**
 * The consumer of one agent, kept alive: one that fetches nothing although jobs wait and places are free (its blocking
 * connection went dead without a word) is replaced by a new one.
 */
export class SupervisedConsumer {
  readonly #options: SupervisedOptions;
  #consumer: Consumer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #fetchedAt = performance.now();

  constructor(options: SupervisedOptions) {
    this.#options = options;
  }

  /** Turns that run now. */
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
    const { store, agent, observe } = this.#options;
    this.#consumer = store.turns.consume({
      agent: agent.id,
      concurrency: agent.concurrency,
      run: (job) => this.#run(job),
      onError: (error) => observe({ kind: 'trouble', where: 'queue', error }),
    });
    await this.#consumer.start();
  }

  async #run(job: TurnJob): Promise<JobOutcome> {
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
    const { store, agent, observe } = this.#options;
    if (this.#running >= agent.concurrency || performance.now() - this.#fetchedAt < STUCK_AFTER_MS) return;
    const waiting = await store.queue.waiting(agent.id);
    if (!waiting || performance.now() - this.#fetchedAt < STUCK_AFTER_MS) return;
    observe({ kind: 'consumer-restarted', agent: agent.id, waiting });
    const stuck = this.#consumer;
    await this.#consume();
    await stuck?.stop();
  }
}
