import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { integer, nothing, text, tuple, tupleAnd, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { queueRoot } from './job.ts';

/** Arguments of scripts that include take-jobs.lua; `takeArgValues` has the values. */
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
export const endRunScript = defineScript({
  file: 'end-run.lua',
  from,
  keys,
  args: ['id', 'token', 'outcome'],
  reply: word('ended', 'fenced'),
});
const wakeScript = defineScript({ file: 'wake.lua', from, keys, args: [], reply: nothing });

/** `awaited`: jobs that turns wait for. `suspect`: see isolation.ts. */
export type JobKinds = 'any' | 'awaited' | 'awaited+suspects' | 'suspect';

/** Which jobs to take. The tokens of their runs are `<taker>:<number>` and so on. */
export interface TakeRequest {
  /** A request with the same taker and number has its effect once. */
  readonly taker: string;
  readonly number: number;
  /** Most jobs of the reply. */
  readonly count: number;
  readonly kinds: JobKinds;
}

/** A job that this process has taken, and the token of its run. */
export interface TakenJob {
  readonly id: string;
  readonly token: string;
  /** How often it was taken, this time included. */
  readonly started: number;
  readonly isAwaited: boolean;
  /** Since it was added, or given back. */
  readonly waitedMs: number;
}

export interface Taken {
  readonly jobs: readonly TakenJob[];
  /** Jobs that still wait. */
  readonly waiting: number;
  /** Suspects are among those that wait. */
  readonly hasSuspects: boolean;
  /** Until a delayed job is due; undefined: none is delayed. */
  readonly dueInMs: number | undefined;
}

type JobReply = readonly [
  id: string,
  token: string,
  started: number,
  priority: number,
  waitedMs: number,
  ...more: unknown[],
];

export function takenFrom(
  [waiting, hasSuspects, dueInMs]: ReturnType<typeof restReply>,
  jobs: readonly JobReply[],
): Taken {
  return {
    jobs: jobs.map(([id, token, started, priority, waitedMs]) => ({
      id,
      token,
      started,
      isAwaited: priority === 1 || priority === 2,
      waitedMs,
    })),
    waiting,
    hasSuspects: hasSuspects === '1',
    dueInMs: dueInMs < 0 ? undefined : dueInMs,
  };
}

/** The values of `takeArgNames`. */
export function takeArgValues(leaseMs: number, { taker, number, count, kinds }: TakeRequest) {
  return { leaseMs, taker, number, count, kinds };
}

/**
 * The jobs of one queue on one shard, for the process that runs them. Only the Lua of this folder knows the layout of
 * BullMQ's keys; queues.ts and wake-ups.ts use BullMQ's own client.
 */
export class AgentQueue {
  readonly root: string;
  readonly keys: ShardKeys;
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection, keys: ShardKeys, name: string) {
    this.#redis = redis;
    this.keys = keys;
    this.root = queueRoot(name, keys);
  }

  async take(leaseMs: number, request: TakeRequest): Promise<Taken> {
    const { root } = this;
    const [rest, ...jobs] = await takeScript.run(this.#redis, {
      keys: { root },
      args: takeArgValues(leaseMs, request),
    });
    return takenFrom(rest, jobs);
  }

  async finish(job: TakenJob): Promise<void> {
    await this.#endRun(job, 'done');
  }

  /** @param delayMs unset: the job is taken next */
  async requeue(job: TakenJob, delayMs?: number): Promise<void> {
    await this.#endRun(job, delayMs ?? 'requeue');
  }

  /** Wakes another worker if a job waits, because this one cannot take it now. */
  async wakeAnother(): Promise<void> {
    await wakeScript.run(this.#redis, { keys: { root: this.root }, args: {} });
  }

  async #endRun({ id, token }: TakenJob, outcome: 'done' | 'requeue' | number): Promise<void> {
    await endRunScript.run(this.#redis, { keys: { root: this.root }, args: { id, token, outcome } });
  }
}
