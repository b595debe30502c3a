import { queueRoot } from '../queue/job.ts';
import type { Queues } from '../queue/queues.ts';
import { recordArgNames, recordArgValues, recordKeyNames } from '../record/record-args.ts';
import { repeatWhileFull } from '../redis/batches.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { integer, list, text, tuple, word } from '../redis/reply.ts';
import { agentOf } from '../redis/scope.ts';
import { defineScript } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Shards } from '../redis/shards.ts';

const from = import.meta.url;
export const dueScript = defineScript({
  file: 'due.lua',
  from,
  keys: ['outbox', 'tasksRoot'],
  args: ['limit', 'latestMs?'],
  reply: list(tuple(text, text)),
});
const sweepVerdict = word('idle', 'add', 'canceled', 'missing');
export const sweepScript = defineScript({
  file: 'sweep.lua',
  from,
  keys: [...recordKeyNames, 'root'],
  args: recordArgNames,
  reply: tuple(sweepVerdict, integer, text, integer, text, text, text),
});

const TASKS_AT_ONCE = 200;
/** Longest sweep while entries are due: with many waiting, a lost job is found soon. */
const SWEEP_FOR_MS = 1_500;
/** After every third sweep without a turn, the queue's lists are searched for the job: it may be in none of them. */
const SUSPICIOUS_SWEEPS = 3;
/** No entry is due later than after this many times `sweepAfterMs`: see sweep.lua. */
const MAX_DELAYS = 16;

export interface OutboxPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly queue: Queues;
  readonly settings: StoreSettings;
}

/**
 * What a sweep did. `added`: tasks without heartbeat whose lost job was added again. `known`: those whose job the queue
 * still has, which nothing was done about. `canceled`: cancels that no worker had carried out.
 */
export type Swept = Readonly<Record<'added' | 'known' | 'canceled', number>>;
type SweptTask = keyof Swept | 'idle' | 'missing';

/**
 * The tasks that must have a job, by the time when the sweeper checks them: an index, not a list of unsent messages.
 * The job of a task without a heartbeat since then is added again.
 */
export class Outbox {
  readonly #port: OutboxPort;

  constructor(port: OutboxPort) {
    this.#port = port;
  }

  /** Several processes may sweep at once. @throws the first error, after all other tasks were swept */
  async sweep(): Promise<Swept> {
    const shards = await Promise.allSettled(this.#port.shards.all.map((keys) => this.#sweepShard(keys)));
    const failed = shards.find((shard) => shard.status === 'rejected');
    if (failed) throw failed.reason;
    const verdicts = shards.flatMap((shard) => (shard.status === 'fulfilled' ? shard.value : []));
    const count = (name: SweptTask): number => verdicts.filter((verdict) => verdict === name).length;
    return { added: count('added'), known: count('known'), canceled: count('canceled') };
  }

  async #sweepShard(keys: ShardKeys): Promise<SweptTask[]> {
    const { redis, settings } = this.#port;
    const verdicts: SweptTask[] = [];
    const errors: unknown[] = [];
    const sweepSome = async (): Promise<number> => {
      const due = await dueScript.run(redis, {
        keys: { outbox: keys.outbox, tasksRoot: keys.tasks },
        args: { limit: TASKS_AT_ONCE, latestMs: MAX_DELAYS * Math.max(settings.sweepAfterMs, 1_000) },
      });
      const all = await Promise.allSettled(due.map((one) => this.#sweepTask(keys, ...one)));
      for (const swept of all)
        if (swept.status === 'fulfilled') verdicts.push(swept.value);
        else errors.push(swept.reason);
      const failed = due.flatMap(([taskId], i) => (all[i]?.status === 'rejected' ? [taskId] : []));
      if (failed.length) await this.#postpone(keys, failed);
      return due.length;
    };
    await repeatWhileFull(TASKS_AT_ONCE, sweepSome, SWEEP_FOR_MS);
    if (errors.length) throw errors[0];
    return verdicts;
  }

  /** Tasks that cannot be swept are due again after `sweepAfterMs`, so that they do not hold up the others. */
  async #postpone({ outbox }: ShardKeys, taskIds: readonly string[]): Promise<void> {
    const { redis, settings } = this.#port;
    const [seconds] = await redis.time();
    const dueMs = Number(seconds) * 1_000 + settings.sweepAfterMs;
    await redis.zadd(outbox, 'XX', ...taskIds.flatMap((taskId) => [dueMs, taskId]));
  }

  async #sweepTask(keys: ShardKeys, taskId: string, ownerFound: string): Promise<SweptTask> {
    const { redis, queue, settings } = this.#port;
    const [verdict, job, owner, sweeps, awaited, known, skill] = await sweepScript.run(redis, {
      keys: { ...keys.record(taskId), root: queueRoot(agentOf(ownerFound), keys) },
      args: recordArgValues(taskId, settings),
    });
    if (verdict !== 'add') return verdict;
    const isSuspicious = sweeps % SUSPICIOUS_SWEEPS === 0;
    if (known === '1' && !isSuspicious) return 'known';
    return queue.add(owner, { taskId, job, skill }, { isAwaited: awaited === '1', isSuspicious });
  }
}
