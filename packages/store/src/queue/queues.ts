import { Queue as BullQueue } from 'bullmq';
import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { integer, text, tuple, tupleAnd, word } from '../redis/reply.ts';
import { agentOf, tenantOf } from '../redis/scope.ts';
import { defineScript } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';
import { type DeliveryQueueId, deliveryQueueText, jobId, queueName, queueRoot } from './job.ts';
import { countJobs, type JobCounts, sumOfJobs } from './job-counts.ts';

const addScript = defineScript({
  file: 'add.lua',
  from: import.meta.url,
  keys: ['root'],
  args: ['id', 'tenant', 'name', 'level', 'isAwaited', 'isSuspicious'],
  reply: word('added', 'known'),
});

const removeScript = defineScript({
  file: 'remove.lua',
  from: import.meta.url,
  keys: ['root'],
  args: ['id'],
  reply: word('removed', 'runs'),
});

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

/** The queue of push notifications. No agent can have this id. */
export const PUSH_QUEUE = '@push';

/** Commands wait for the connection, under their own deadlines if they have one: BullMQ's own wait has none. */
const BULLMQ_OPTIONS = { skipMetasUpdate: true, skipWaitingForReady: true } as const;

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

/** A job of a task. */
interface JobOfTask {
  readonly taskId: string;
  /** Its number. */
  readonly job: number;
  /** Whose queue has it; unset or empty: the agent's own has it. */
  readonly skill?: string | undefined;
  /** As in add-jobs.lua; unset or empty: normal. */
  readonly level?: string | undefined;
}

/** Tenants that are read from each shard. */
const MAX_NAMED = 20;

/**
 * The jobs of all agents: a BullMQ queue per agent and shard. A job says which task has work to do, and whose share of
 * the queue it takes.
 */
export class Queues {
  /** By the prefix of their keys. */
  readonly #queues = new Map<string, BullQueue>();
  readonly #redis: RedisConnection;
  readonly #shards: Shards;

  constructor(redis: RedisConnection, shards: Shards) {
    this.#redis = redis;
    this.#shards = shards;
  }

  /**
   * Adds a job again that the queue may have lost: add-jobs.lua added it with its task's message. Without effect while
   * the queue has the job.
   * @param owner as `ownerOf`: has the agent whose queue the job enters, and the tenant whose share it takes
   * @param options `isAwaited`: a running turn waits for this job, which goes before those that no turn waits for.
   * `isSuspicious`: it was added several times without effect
   */
  add(
    owner: string,
    { taskId, job, skill, level }: JobOfTask,
    { isAwaited = false, isSuspicious = false } = {},
  ): Promise<'added' | 'known'> {
    return this.#add(queueRoot(queueName(agentOf(owner), skill), this.#shards.of(taskId)), {
      id: jobId(taskId, job),
      tenant: tenantOf(owner),
      name: 'turn',
      level: level || 'normal',
      isAwaited: isAwaited ? '1' : '',
      isSuspicious: isSuspicious ? '1' : '',
    });
  }

  /**
   * Adds the job of a webhook that has events to deliver. Without effect while the queue has this job.
   * @param owner of its task
   * @param options as of `add`
   */
  async addPush(
    id: DeliveryQueueId,
    { owner, job }: { readonly owner: string; readonly job: number },
    { isSuspicious = false } = {},
  ): Promise<void> {
    await this.#add(queueRoot(PUSH_QUEUE, this.#shards.of(id.taskId)), {
      id: jobId(deliveryQueueText(id), job),
      tenant: tenantOf(owner),
      name: 'push',
      level: 'normal',
      isAwaited: '',
      isSuspicious: isSuspicious ? '1' : '',
    });
  }

  /** Removes a job unless it is running. @param queue as `queueName`, as in the methods below */
  async remove(queue: string, taskId: string, job: number): Promise<void> {
    const root = queueRoot(queue, this.#shards.of(taskId));
    await removeScript.run(this.#redis, { keys: { root }, args: { id: jobId(taskId, job) } });
  }

  /** The jobs of some queues, over all shards. */
  async counts(...queues: readonly string[]): Promise<JobCounts> {
    return sumOfJobs(await Promise.all(this.#rootsOf(queues).map((root) => countJobs(this.#redis, root))));
  }

  /** The tenants with the most waiting jobs, over all shards. `count`: number of tenants on the fullest shard. */
  async shares(
    ...queues: readonly string[]
  ): Promise<{ readonly count: number; readonly longest: readonly TenantShare[] }> {
    const roots = this.#rootsOf(queues);
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
    const state = await this.#queue(queue, this.#shards.of(taskId)).getJobState(jobId(taskId, job));
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

  /** Whether the queue ever had a job. */
  async isUsed(queue: string): Promise<boolean> {
    const counters = this.#shards.all.map((keys) => this.#redis.exists(`${queueRoot(queue, keys)}id`));
    return (await Promise.all(counters)).includes(1);
  }

  /** Jobs that wait for a worker, over all shards. */
  async waiting(queue: string): Promise<number> {
    return (await this.counts(queue)).waiting;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    this.#queues.clear();
  }

  #add(root: string, args: Parameters<typeof addScript.run>[1]['args']): Promise<'added' | 'known'> {
    return addScript.run(this.#redis, { keys: { root }, args });
  }

  #rootsOf(queues: readonly string[]): string[] {
    return queues.flatMap((queue) => this.#shards.all.map((keys) => queueRoot(queue, keys)));
  }

  #onShards<T>(queues: readonly string[], call: (queue: BullQueue) => Promise<T>): Promise<T[]> {
    const all = queues.flatMap((queue) => this.#shards.all.map((keys) => this.#queue(queue, keys)));
    return Promise.all(all.map(call));
  }

  /** BullMQ reads Redis' version once: a queue that was first used in an outage would never work. */
  async #forget(key: string, queue: BullQueue): Promise<void> {
    if (this.#queues.get(key) === queue) this.#queues.delete(key);
    // It rejects with the error of its start, which the caller has got.
    await queue.close().catch(() => undefined);
  }

  #queue(name: string, keys: ShardKeys): BullQueue {
    const key = queueRoot(name, keys);
    const known = this.#queues.get(key);
    if (known) return known;
    const queue = new BullQueue(name, { ...BULLMQ_OPTIONS, connection: this.#redis, prefix: keys.queues });
    // The store handles errors of the connection; without a listener BullMQ prints them.
    queue.on('error', () => undefined);
    this.#queues.set(key, queue);
    queue.waitUntilReady().catch(() => this.#forget(key, queue));
    return queue;
  }
}
