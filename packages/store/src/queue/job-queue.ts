import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { Script } from '../redis/script.ts';
import { queueRoot } from './queue-name.ts';

const takeScript = new Script('take.lua', import.meta.url);
const finishScript = new Script('finish.lua', import.meta.url);
const giveBackScript = new Script('give-back.lua', import.meta.url);
const recoverScript = new Script('recover.lua', import.meta.url);
const wakeScript = new Script('wake.lua', import.meta.url);

/** `awaited`: turns wait for them. The process of a suspect died while it ran among others; it is to run alone. */
export type JobKinds = 'any' | 'awaited' | 'awaited+suspects' | 'suspect';

/** Which jobs are to be taken. Their locks have the tokens `<taker>:<number>` and so on. */
export interface TakeRequest {
  /** Sent twice with the same taker and number, a request takes once. */
  readonly taker: string;
  readonly number: number;
  /** At most. */
  readonly count: number;
  readonly kinds: JobKinds;
}

/** A job that this process has been given, and the token of its lock. */
export interface TakenJob {
  readonly id: string;
  readonly token: string;
  /** How often it was taken, this time included. */
  readonly started: number;
  readonly isAwaited: boolean;
}

export interface Taken {
  readonly jobs: readonly TakenJob[];
  /** Jobs that wait behind these. */
  readonly waiting: number;
  /** There are suspects among those that wait. */
  readonly hasSuspects: boolean;
  /** Until a delayed job is due; undefined: none is delayed. */
  readonly dueInMs: number | undefined;
}

export type RawJob = [id: string, token: string, started: number, priority: number];
export type RawRest = [waiting: number, hasSuspects: string, dueInMs: number];

/** @param rest and @param jobs as take-jobs.lua returns them */
export function takenFrom(rest: RawRest, jobs: readonly (readonly [...RawJob, ...more: unknown[]])[]): Taken {
  const [waiting, hasSuspects, dueInMs] = rest;
  return {
    jobs: jobs.map(([id, token, started, priority]) => ({
      id,
      token,
      started,
      isAwaited: priority === 1 || priority === 2,
    })),
    waiting,
    hasSuspects: hasSuspects === '1',
    dueInMs: dueInMs < 0 ? undefined : dueInMs,
  };
}

export const takeArguments = (lockMs: number, { taker, number, count, kinds }: TakeRequest): (string | number)[] => [
  lockMs,
  taker,
  number,
  count,
  kinds,
];

/**
 * The jobs of one queue on one shard, as those who run them see it. Together with the Lua beside it, all that knows
 * BullMQ's keys.
 */
export class JobQueue {
  readonly root: string;
  readonly keys: ShardKeys;
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection, keys: ShardKeys, name: string) {
    this.#redis = redis;
    this.keys = keys;
    this.root = queueRoot(name, keys);
  }

  async take(lockMs: number, request: TakeRequest): Promise<Taken> {
    const reply = await takeScript.run(this.#redis, [this.root], takeArguments(lockMs, request));
    const [rest, ...jobs] = reply as [RawRest, ...RawJob[]];
    return takenFrom(rest, jobs);
  }

  async finish({ id, token }: TakenJob): Promise<void> {
    await finishScript.run(this.#redis, [this.root], [id, token]);
  }

  /** @param delayMs until it may be taken again; undefined: at once, and before others */
  async giveBack({ id, token }: TakenJob, delayMs?: number): Promise<void> {
    await giveBackScript.run(this.#redis, [this.root], [id, token, delayMs ?? '']);
  }

  /** Jobs whose process is gone wait again. All processes do this, one of them at a time. */
  async recover(lockMs: number, everyMs: number): Promise<void> {
    await recoverScript.run(this.#redis, [this.root], [lockMs, everyMs]);
  }

  /** If a job waits, wakes another worker for it: this one cannot take it now. */
  async wakeAnother(): Promise<void> {
    await wakeScript.run(this.#redis, [this.root], []);
  }
}
