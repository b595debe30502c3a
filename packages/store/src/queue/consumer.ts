import { DelayedError, type Job, WaitingError } from 'bullmq';
import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import type { Shards } from '../redis/shards.ts';
import { GroupWorker } from './group-worker.ts';
import type { Take, Tokens } from './job-group.ts';
import { parseJobId } from './job-id.ts';
import { Places } from './places.ts';

/** One start of a job by the queue. */
export interface TurnJob {
  readonly taskId: string;
  readonly job: number;
  /** How often the queue has started the job, this time included. */
  readonly started: number;
  /** How often its worker died, or was taken for dead, while it ran. */
  readonly stalled?: number;
  /** A turn that runs waits for this one. */
  readonly isAwaited?: boolean;
  /** The lock of this start: tells a command sent twice from a second start. */
  readonly token: string;
}

/** What becomes of the job: `done`; `ended`, and out of its queue already; `hand-back` to the front of the queue; or back after a while. */
export type JobOutcome = 'done' | 'ended' | 'hand-back' | { readonly retryAfterMs: number };

export interface ConsumerOptions {
  readonly agent: string;
  /** Turns of this agent that this process runs at the same time. */
  readonly concurrency: number;
  readonly run: (job: TurnJob) => Promise<JobOutcome>;
  /** Failures of the queue itself: a lost connection, a lock that could not be renewed. */
  readonly onError: (error: Error) => void;
  /** Takes the next jobs of a shard, and locks them for `lockMs` with the tokens. Default, and with `other`: BullMQ's script takes one. */
  readonly take?: (keys: ShardKeys, lockMs: number) => (tokens: Tokens) => Promise<Take | 'other'>;
  /** Jobs may be taken before the worker asks for them. Default: false. */
  readonly takesAhead?: boolean;
}

// Recovery from a killed worker within 4 s, while an event loop that is blocked for 2.8 s keeps its jobs.
const LOCKS = { lockDuration: 3_500, lockRenewTime: 700, stalledInterval: 500, maxStalledCount: 1_000 } as const;

/** Of its own events BullMQ keeps 10,000 a queue by default. Nobody reads them: ours are those of the tasks. */
const KEPT_QUEUE_EVENTS = 100;

/** Takes the jobs of one agent, from every shard, and runs them. */
export class Consumer {
  readonly #redis: RedisConnection;
  readonly #workers: GroupWorker[];
  readonly #options: ConsumerOptions;

  constructor(redis: RedisConnection, shards: Shards, options: ConsumerOptions) {
    this.#redis = redis;
    this.#options = options;
    const concurrency = Math.ceil(options.concurrency / shards.all.length);
    this.#workers = shards.all.map((keys) => this.#takeFrom(keys, concurrency));
  }

  async start(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
    await Promise.all(
      this.#workers.map((worker) => this.#redis.hset(worker.toKey('meta'), 'opts.maxLenEvents', KEPT_QUEUE_EVENTS)),
    );
    for (const worker of this.#workers) worker.run().catch(this.#options.onError);
  }

  /** Takes no more jobs; those that run go on. */
  async pause(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.pause(true)));
  }

  /** Takes jobs again. */
  async resume(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.resume()));
  }

  /** Takes no more jobs and waits for those that run. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  #takeFrom(keys: ShardKeys, concurrency: number): GroupWorker {
    const settings = {
      connection: this.#redis,
      prefix: keys.queues,
      autorun: false,
      // A short one hangs workers in a fail-over of a Cluster.
      drainDelay: 30,
      // BullMQ's own 15 s would be the outage after a Redis that was away for a moment.
      runRetryDelay: 200,
      ...LOCKS,
    };
    const { agent, takesAhead = false, onError } = this.#options;
    const take = this.#options.take?.(keys, LOCKS.lockDuration);
    const run = (job: Job, token = '') => this.#run(job, token);
    const worker = new GroupWorker(agent, run, settings, { take, takesAhead, places: new Places(concurrency) });
    return worker.on('error', onError);
  }

  /** @returns what the backend is told as the job's return value */
  async #run(job: Job, token: string): Promise<'done' | 'ended'> {
    if (job.id === undefined) throw new Error('The queue started a job without an id.');
    const outcome = await this.#options.run({
      ...parseJobId(job.id),
      started: job.attemptsStarted,
      stalled: job.stalledCounter,
      isAwaited: job.opts.lifo === true,
      token,
    });
    if (outcome === 'done' || outcome === 'ended') return outcome;
    if (outcome === 'hand-back') {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    await job.moveToDelayed(Date.now() + outcome.retryAfterMs, token);
    throw new DelayedError();
  }
}
