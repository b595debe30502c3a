import { createRequire } from 'node:module';
import { defineScript, integer, type RedisConnection, text, tuple, tupleAnd } from '@switchyard/redis';
import { RedisUnusable } from '@switchyard/store';
import { jobId, queueRoot, type ShardKeys, type Shards } from '@switchyard/store/inside';
import type { Queue as BullQueue } from 'bullmq';

const readSharesScript = defineScript({
  file: 'read-shares.lua',
  from: import.meta.url,
  keys: ['root'],
  args: ['limit'],
  reply: tupleAnd([integer], tuple(text, integer)),
});

const inspectJobScript = defineScript({
  file: 'inspect-job.lua',
  from: import.meta.url,
  keys: ['root'],
  args: ['id'],
  reply: tuple(integer, integer, integer, integer),
});

/** Commands wait for the connection, under their own deadlines if they have one: BullMQ's own wait has none. */
const BULLMQ_OPTIONS = { skipMetasUpdate: true, skipWaitingForReady: true } as const;

/** The versions whose keys our scripts use: `queue-scripts.test.ts` compares them with BullMQ's own scripts. */
const KNOWN_BULLMQ = /^6\.7\./;

/** Why the installed BullMQ cannot be used: another version may store jobs in another way. Undefined if it can. */
export function bullmqProblem(version = installedVersion()): string | undefined {
  if (KNOWN_BULLMQ.test(version)) return undefined;
  return `BullMQ ${version} is installed, and our scripts know the keys of 6.7: install that version.`;
}

function installedVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('bullmq/package.json');
  return version;
}

/** Where a job is. Times are ms since 1970, by Redis' clock. */
export interface JobInspection {
  /** Jobs ahead of it; unset: it does not wait for a worker. */
  readonly before: number | undefined;
  readonly isRunning: boolean;
  /** Until another process may run it; 0: none runs it. */
  readonly leaseMs: number;
  /** When its delay ends; unset: it is not delayed. */
  readonly delayedToMs: number | undefined;
  /** Since when it waits, or has waited; unset: there is no such job. */
  readonly sinceMs: number | undefined;
}

/** A tenant whose waiting jobs reach beyond the current round of turns, and their number. */
export interface TenantShare {
  readonly tenant: string;
  readonly waiting: number;
}

/** Tenants that are read from each shard. */
const MAX_NAMED = 20;

/** The queues of agents as operators see, pause and resume them, by BullMQ's own client where that suffices. */
export class AgentQueues {
  /** By the prefix of their keys. */
  readonly #queues = new Map<string, BullQueue>();
  readonly #redis: RedisConnection;
  readonly #shards: Shards;

  constructor({ redis, shards }: { readonly redis: RedisConnection; readonly shards: Shards }) {
    this.#redis = redis;
    this.#shards = shards;
  }

  /** The tenants with the most waiting jobs, over all shards. `count`: number of tenants on the fullest shard. */
  async shares(
    ...queues: readonly string[]
  ): Promise<{ readonly count: number; readonly longest: readonly TenantShare[] }> {
    const roots = queues.flatMap((queue) => this.#shards.all.map((keys) => queueRoot(queue, keys)));
    const read = (root: string) => readSharesScript.run(this.#redis, { keys: { root }, args: { limit: MAX_NAMED } });
    const shards = await Promise.all(roots.map(read));
    const byTenant = Map.groupBy(
      shards.flatMap(([, ...tenants]) => tenants),
      ([tenant]) => tenant,
    );
    const longest = [...byTenant].map(([tenant, shares]) => ({
      tenant: decodeURIComponent(tenant),
      waiting: shares.reduce((sum, [, waiting]) => sum + waiting, 0),
    }));
    longest.sort((a, b) => b.waiting - a.waiting);
    return { count: Math.max(...shards.map(([count]) => count)), longest: longest.slice(0, MAX_NAMED) };
  }

  /** Workers take no jobs until `resume`, but jobs are added. Running jobs go on. */
  async pause(...queues: readonly string[]): Promise<void> {
    await this.#onShards(queues, (queue) => queue.pause());
  }

  async resume(...queues: readonly string[]): Promise<void> {
    await this.#onShards(queues, (queue) => queue.resume());
  }

  async isPaused(...queues: readonly string[]): Promise<boolean> {
    return (await this.#onShards(queues, (queue) => queue.isPaused())).includes(true);
  }

  /** BullMQ's state of a job: `waiting`, `active`, `delayed` …, or `unknown`. */
  async stateOf(queue: string, taskId: string, job: number): Promise<string> {
    if ((await this.inspect(queue, taskId, job)).isRunning) return 'active';
    const bullQueue = await this.#queue(queue, this.#shards.of(taskId));
    const state = await bullQueue.getJobState(jobId(taskId, job));
    return state === 'prioritized' ? 'waiting' : state;
  }

  async inspect(queue: string, taskId: string, job: number): Promise<JobInspection> {
    const root = queueRoot(queue, this.#shards.of(taskId));
    const args = { id: jobId(taskId, job) };
    const [before, leaseMs, delayedToMs, sinceMs] = await inspectJobScript.run(this.#redis, { keys: { root }, args });
    return {
      before: before < 0 ? undefined : before,
      isRunning: leaseMs >= 0,
      leaseMs: Math.max(0, leaseMs),
      delayedToMs: delayedToMs || undefined,
      sinceMs: sinceMs || undefined,
    };
  }

  #onShards<T>(queues: readonly string[], call: (queue: BullQueue) => Promise<T>): Promise<T[]> {
    const all = queues.flatMap((queue) => this.#shards.all.map((keys) => this.#queue(queue, keys)));
    return Promise.all(all.map(async (queue) => call(await queue)));
  }

  /** BullMQ reads Redis' version once: a queue that was first used in an outage would never work. */
  async #forget(key: string, queue: BullQueue): Promise<void> {
    if (this.#queues.get(key) === queue) this.#queues.delete(key);
    // It rejects with the error of its start, which the caller has got.
    await queue.close().catch(() => undefined);
  }

  /** Loads BullMQ when it is first used: with what it needs it is a seventh of a gateway's modules. */
  async #queue(name: string, keys: ShardKeys): Promise<BullQueue> {
    const { Queue } = await import('bullmq');
    const key = queueRoot(name, keys);
    const known = this.#queues.get(key);
    if (known) return known;
    const problem = bullmqProblem();
    if (problem) throw new RedisUnusable(problem);
    const queue = new Queue(name, { ...BULLMQ_OPTIONS, connection: this.#redis, prefix: keys.queues });
    // The store handles errors of the connection; without a listener BullMQ prints them.
    queue.on('error', () => undefined);
    this.#queues.set(key, queue);
    queue.waitUntilReady().catch(() => this.#forget(key, queue));
    return queue;
  }
}
