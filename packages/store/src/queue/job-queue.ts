import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { integer, list, nothing, text, tuple, tupleAnd, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { queueRoot } from './queue-name.ts';

/** Arguments of every script that includes take-jobs.lua; `takeArguments` gives them. */
export const takeArgs = ['lockMs', 'taker', 'number', 'count', 'kinds'] as const;
/** As take-jobs.lua returns them: how many jobs wait, if there are suspects among them ('1'), ms until one is due. */
export const restReply = tuple(integer, text, integer);
/** Of a job: its id, its token, how often it was taken, its priority. */
export const jobFields = [text, text, integer, integer] as const;

const from = import.meta.url;
const keys = ['root'] as const;
const takeScript = defineScript({
  file: 'take.lua',
  from,
  keys,
  args: takeArgs,
  reply: tupleAnd([restReply], tuple(...jobFields)),
});
const finishScript = defineScript({ file: 'finish.lua', from, keys, args: ['id', 'token'], reply: nothing });
const giveBackScript = defineScript({
  file: 'give-back.lua',
  from,
  keys,
  args: ['id', 'token', 'delayMs'],
  reply: word('given', 'lost'),
});
const recoverScript = defineScript({
  file: 'recover.lua',
  from,
  keys,
  args: ['lockMs', 'everyMs'],
  reply: list(text),
});
const wakeScript = defineScript({ file: 'wake.lua', from, keys, args: [], reply: nothing });

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

type JobReply = readonly [id: string, token: string, started: number, priority: number, ...more: unknown[]];

export function takenFrom(
  [waiting, hasSuspects, dueInMs]: ReturnType<typeof restReply>,
  jobs: readonly JobReply[],
): Taken {
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

/** The values of `takeArgs`. */
export function takeArguments(lockMs: number, { taker, number, count, kinds }: TakeRequest) {
  return { lockMs, taker, number, count, kinds };
}

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
    const { root } = this;
    const [rest, ...jobs] = await takeScript.run(this.#redis, { keys: { root }, args: takeArguments(lockMs, request) });
    return takenFrom(rest, jobs);
  }

  async finish({ id, token }: TakenJob): Promise<void> {
    await finishScript.run(this.#redis, { keys: { root: this.root }, args: { id, token } });
  }

  /** @param delayMs until it may be taken again; undefined: at once, and before others */
  async giveBack({ id, token }: TakenJob, delayMs?: number): Promise<void> {
    const args = { id, token, delayMs: delayMs ?? '' };
    await giveBackScript.run(this.#redis, { keys: { root: this.root }, args });
  }

  /** Jobs whose process is gone wait again. All processes do this, one of them at a time. */
  async recover(lockMs: number, everyMs: number): Promise<void> {
    await recoverScript.run(this.#redis, { keys: { root: this.root }, args: { lockMs, everyMs } });
  }

  /** If a job waits, wakes another worker for it: this one cannot take it now. */
  async wakeAnother(): Promise<void> {
    await wakeScript.run(this.#redis, { keys: { root: this.root }, args: {} });
  }
}
