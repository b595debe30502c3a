import { isOutage } from '@switchyard/redis';
import type { PerShard, Shards } from '../deployment/shards.ts';
import { AgentQueue, type Taken, type TakeRequest } from './agent-queue.ts';
import { FetchLoop } from './fetch-loop.ts';
import type { Isolation } from './isolation.ts';
import type { Lease } from './lease.ts';
import { markerOf } from './queue-names.ts';
import type { JobOutcome, RunningJob } from './running-job.ts';
import type { ShardChecks } from './shard-checks.ts';
import { Slots } from './slots.ts';
import type { WakeUp, WakeUps } from './wake-ups.ts';

export interface ConsumerOptions<Job extends RunningJob = RunningJob> {
  /** As `queueName`. */
  readonly queue: string;
  /** Jobs of this queue that this process runs at the same time. */
  readonly concurrency: number;
  /** Runs a job. If it rejects, the job is tried again after a delay. */
  readonly run: (job: Job) => Promise<JobOutcome>;
  /** Failures of the queue itself: a lost connection, jobs that could not be taken. */
  readonly onError: (error: Error) => void;
}

/** What all consumers of a process share. */
export interface ConsumerDependencies {
  readonly shards: Shards;
  readonly leases: PerShard<Lease>;
  readonly wakeUps: WakeUps;
  readonly checks: ShardChecks;
  readonly isolation: Isolation;
  /** Names this process in the tokens of its runs; contains no colon. */
  readonly processId: string;
}

interface FetchOptions<Job extends RunningJob> extends ConsumerOptions<Job> {
  readonly take: (queue: AgentQueue, request: TakeRequest) => Promise<Taken<Job>>;
}

/** Delay of a job whose run rejected because Redis was unreachable. After other errors it doubles with each start. */
const FAILED_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** Takes the jobs of one queue, from every shard, and runs them. */
export class Consumer<Job extends RunningJob = RunningJob> {
  readonly #dependencies: ConsumerDependencies;
  readonly #options: FetchOptions<Job>;
  readonly #slots: Slots;
  #sources: readonly { readonly queue: AgentQueue; readonly wakeUp: WakeUp; readonly loop: FetchLoop<Job> }[] = [];
  readonly #running = new Set<Promise<unknown>>();

  constructor(dependencies: ConsumerDependencies, options: FetchOptions<Job>) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#slots = new Slots(options.concurrency, dependencies.isolation.load);
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running.size;
  }

  async start(): Promise<void> {
    const { shards, leases, wakeUps } = this.#dependencies;
    this.#sources = shards.all.map((keys, shard) => {
      const queue = new AgentQueue(leases.of(keys), this.#options.queue);
      const wakeUp = wakeUps.open(keys, { marker: markerOf(queue.root), wakeNext: () => queue.wakeAnother() });
      return { queue, wakeUp, loop: this.#loop(queue, wakeUp, shard) };
    });
    this.#dependencies.isolation.join(this.#slots);
    this.#dependencies.checks.join(this.#options.queue);
    for (const { loop } of this.#sources) loop.start();
  }

  /** Takes no more jobs. Running jobs go on. */
  async pause(): Promise<void> {
    this.#slots.close();
    await Promise.all(this.#sources.map(({ loop }) => loop.settled()));
  }

  /** Takes jobs again. */
  async resume(): Promise<void> {
    this.#slots.open();
  }

  /** Looks for jobs again: places are free that some may have waited for. */
  wake(): void {
    for (const { wakeUp } of this.#sources) wakeUp.wake();
  }

  /** Takes no more jobs, and waits for running ones. Idempotent. */
  async stop(): Promise<void> {
    this.#dependencies.checks.leave(this.#options.queue);
    this.#slots.end();
    for (const { loop } of this.#sources) loop.stop();
    await Promise.all(this.#sources.map(({ loop }) => loop.settled()));
    await Promise.all(this.#running);
    this.#dependencies.isolation.leave(this.#slots);
    for (const { wakeUp } of this.#sources) wakeUp.close();
  }

  /**
   * Gives the slot of a job that waits for other jobs to one of them: jobs in all slots could otherwise wait for each
   * other. When it goes on, more jobs than slots may run for a moment.
   */
  yieldSlot<T>(job: Job, wait: () => Promise<T>): Promise<T> {
    return this.#slots.yieldSlot(job, wait);
  }

  #loop(queue: AgentQueue, wakeUp: WakeUp, shard: number): FetchLoop<Job> {
    const { isolation, processId } = this.#dependencies;
    const { queue: name, take, onError } = this.#options;
    return new FetchLoop({
      queue,
      taker: `${processId}:${name}/${shard}`,
      take: (request) => take(queue, request),
      wakeUp,
      slots: this.#slots,
      isolation,
      run: (job) => this.#track(this.#run(job)),
      onError,
    });
  }

  async #track<T>(run: Promise<T>): Promise<T> {
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }

  async #run(job: Job): Promise<void> {
    const failed = (error: unknown): JobOutcome => ({ retryAfterMs: retryMsAfter(error, job.started) });
    await job.end(await this.#options.run(job).catch(failed));
  }
}

function retryMsAfter(error: unknown, started: number): number {
  return isOutage(error) ? FAILED_RETRY_MS : Math.min(FAILED_RETRY_MS * 2 ** (started - 1), MAX_RETRY_MS);
}
