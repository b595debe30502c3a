import type { RedisConnection } from '../redis/connection.ts';
import { isOutage } from '../redis/errors.ts';
import type { Shards } from '../redis/shards.ts';
import { AgentQueue, type Taken, type TakenJob, type TakeRequest } from './agent-queue.ts';
import { FetchLoop } from './fetch-loop.ts';
import type { Isolation } from './isolation.ts';
import { markerOf, parseJobId } from './job.ts';
import type { Leases } from './leases.ts';
import type { ShardChecks } from './shard-checks.ts';
import { Slots } from './slots.ts';
import type { WakeUp, WakeUps } from './wake-ups.ts';

/** One start of a job by the queue. */
export interface TurnJob {
  readonly taskId: string;
  readonly job: number;
  /** How often the queue has started the job, this time included. */
  readonly started: number;
  /** A running turn waits for this job's turn. */
  readonly isAwaited?: boolean;
  /** How long it waited in its queue. Default: 0, as for a further turn of the same job. */
  readonly waitedMs?: number;
  /** Token of this start's run: tells a command sent twice from a second start. */
  readonly token: string;
}

/**
 * What the queue does with the job: `done`; `removed`: it is in no queue any more; `requeue`: to the front of the
 * queue; or back after a delay.
 */
export type JobOutcome = 'done' | 'removed' | 'requeue' | { readonly retryAfterMs: number };

export interface ConsumerOptions {
  readonly agent: string;
  /** Jobs of this agent that this process runs at the same time. */
  readonly concurrency: number;
  /** Runs a job. If it rejects, the job is tried again after a delay. */
  readonly run: (job: TurnJob) => Promise<JobOutcome>;
  /** Failures of the queue itself: a lost connection, jobs that could not be taken. */
  readonly onError: (error: Error) => void;
}

/** What all consumers of a process share. */
export interface ConsumerPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly leases: Leases;
  readonly wakeUps: WakeUps;
  readonly checks: ShardChecks;
  readonly isolation: Isolation;
  /** Names this process in the tokens of its runs; contains no colon. */
  readonly processId: string;
  readonly leaseMs: number;
}

interface ConsumerDependencies extends ConsumerOptions {
  /** Takes jobs. Default: without beginning their turns. */
  readonly take?: (queue: AgentQueue, request: TakeRequest) => Promise<Taken>;
}

/** Delay of a job whose run rejected because Redis was unreachable. After other errors it doubles with each start. */
const FAILED_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** Takes the jobs of one agent, from every shard, and runs them. */
export class Consumer {
  readonly #port: ConsumerPort;
  readonly #options: ConsumerDependencies;
  readonly #slots: Slots;
  #sources: readonly { readonly queue: AgentQueue; readonly wakeUp: WakeUp; readonly loop: FetchLoop }[] = [];
  readonly #running = new Set<Promise<unknown>>();

  constructor(port: ConsumerPort, options: ConsumerDependencies) {
    this.#port = port;
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running.size;
  }

  async start(): Promise<void> {
    const { redis, shards, wakeUps } = this.#port;
    this.#sources = shards.all.map((keys, shard) => {
      const queue = new AgentQueue(redis, keys, this.#options.agent);
      const wakeUp = wakeUps.open(keys, { marker: markerOf(queue.root), passOn: () => queue.wakeAnother() });
      return { queue, wakeUp, loop: this.#loop(queue, wakeUp, shard) };
    });
    this.#port.isolation.join(this.#slots);
    this.#port.checks.join(this.#options.agent);
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

  /** Takes no more jobs, and waits for running ones. Idempotent. */
  async stop(): Promise<void> {
    this.#port.checks.leave(this.#options.agent);
    this.#slots.end();
    for (const { loop } of this.#sources) loop.stop();
    await Promise.all(this.#sources.map(({ loop }) => loop.settled()));
    await Promise.all(this.#running);
    this.#port.isolation.leave(this.#slots);
    for (const { wakeUp } of this.#sources) wakeUp.close();
  }

  /**
   * Gives the slot of a job that waits for other jobs to one of them: jobs in all slots could otherwise wait for each
   * other. When it goes on, more jobs than slots may run for a moment.
   */
  yieldSlot<T>(wait: () => Promise<T>): Promise<T> {
    return this.#slots.yieldSlot(wait);
  }

  #loop(queue: AgentQueue, wakeUp: WakeUp, shard: number): FetchLoop {
    const { leases, isolation, processId, leaseMs } = this.#port;
    const { agent, take = (from, request) => from.take(leaseMs, request), onError } = this.#options;
    return new FetchLoop({
      queue,
      taker: `${processId}:${agent}/${shard}`,
      take: (request) => take(queue, request),
      wakeUp,
      slots: this.#slots,
      isolation,
      hold: (job, takenAt) => leases.hold(queue, job, takenAt),
      run: (job) => this.#track(this.#run(queue, job)),
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

  async #run(queue: AgentQueue, taken: TakenJob): Promise<void> {
    const { id, token, started, isAwaited, waitedMs } = taken;
    const outcome = await this.#options
      .run({ ...parseJobId(id), token, started, isAwaited, waitedMs })
      .catch((error: unknown): JobOutcome => ({ retryAfterMs: retryMsAfter(error, started) }));
    if (outcome === 'done') await queue.finish(taken);
    else if (outcome === 'requeue') await queue.requeue(taken);
    else if (outcome !== 'removed') await queue.requeue(taken, outcome.retryAfterMs);
  }
}

function retryMsAfter(error: unknown, started: number): number {
  return isOutage(error) ? FAILED_RETRY_MS : Math.min(FAILED_RETRY_MS * 2 ** (started - 1), MAX_RETRY_MS);
}
