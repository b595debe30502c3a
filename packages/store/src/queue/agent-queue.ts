import { defineScript, integer, nothing, text, tuple, tupleAnd } from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';
import type { Lease } from './lease.ts';
import { currentMoment, type Moment } from './moment.ts';
import { queueRoot } from './queue-names.ts';
import { type JobStart, RunningJob } from './running-job.ts';

/** Arguments of scripts that include take-jobs.lua: a `TakeRequest`, and how long a lease lasts. */
export const takeArgNames = ['leaseMs', 'taker', 'number', 'count', 'kinds'] as const;
/** Reply of take-jobs.lua: how many jobs wait, '1' if suspects are among them, ms until one is due. */
export const restReply = tuple(integer, text, integer);
/** Reply of take-jobs.lua for a job: id, token, how often it was taken, priority, ms that it has waited. */
export const jobFields = [text, text, integer, integer, integer] as const;

const from = import.meta.url;
const keys = ['root'] as const;
const takeScript = defineScript({
  file: 'take.lua',
  from,
  keys,
  args: takeArgNames,
  reply: tupleAnd([restReply], tuple(...jobFields)),
});
const wakeScript = defineScript({ file: 'wake.lua', from, keys, args: [], reply: nothing });

/**
 * - `any`: all jobs but suspects. `awaited`: of these, only jobs that turns wait for.
 * - `suspect`: one suspect, which will run alone (isolation.ts). `all-awaited`: jobs that turns wait for, suspects, too,
 *   while the process runs a suspect.
 */
export type JobKinds = 'any' | 'awaited' | 'all-awaited' | 'suspect';

/** Which jobs to take. The tokens of their runs are `<taker>:<number>` and so on. */
export interface TakeRequest {
  /** A request with the same taker and number has its effect once. */
  readonly taker: string;
  readonly number: number;
  /** Most jobs of the reply. */
  readonly count: number;
  readonly kinds: JobKinds;
}

export interface Taken<Job = RunningJob> {
  readonly jobs: readonly Job[];
  /** Jobs that still wait. */
  readonly waiting: number;
  /** Suspects are among those that wait. */
  readonly hasSuspects: boolean;
  /** Until a delayed job is due; undefined: none is delayed. */
  readonly dueInMs: number | undefined;
}

export function takenFrom<Job>([waiting, hasSuspects, dueInMs]: ReturnType<typeof restReply>, jobs: readonly Job[]) {
  return { jobs, waiting, hasSuspects: hasSuspects === '1', dueInMs: dueInMs < 0 ? undefined : dueInMs };
}

/** @param job as `jobFields` @param requestedAt before the command that took it was sent */
export function jobStart(
  [id, token, started, priority, waitedMs]: readonly [string, string, number, number, number, ...more: unknown[]],
  requestedAt: Moment,
): JobStart {
  return { id, token, started, isAwaited: priority === 1 || priority === 2, waitedMs, requestedAt };
}

/**
 * The jobs of one queue on one shard, for the process that runs them. The Lua of this folder and of ../places knows the
 * layout of BullMQ's keys.
 */
export class AgentQueue {
  /** Prefix of the queue's keys. */
  readonly root: string;
  /** Under which this process runs the queue's jobs. */
  readonly lease: Lease;

  /** @param name as `queueName` */
  constructor(lease: Lease, name: string) {
    this.lease = lease;
    this.root = queueRoot(name, lease.keys);
  }

  get keys(): ShardKeys {
    return this.lease.keys;
  }

  async take(request: TakeRequest): Promise<Taken> {
    const { root, lease } = this;
    const requestedAt = currentMoment();
    const args = { leaseMs: lease.leaseMs, ...request };
    const [rest, ...jobs] = await takeScript.run(lease.redis, { keys: { root }, args });
    return takenFrom(
      rest,
      jobs.map((job) => new RunningJob(this, jobStart(job, requestedAt))),
    );
  }

  /** Wakes another worker if a job waits, because this one cannot take it now. */
  async wakeAnother(): Promise<void> {
    await wakeScript.run(this.lease.redis, { keys: { root: this.root }, args: {} });
  }
}
