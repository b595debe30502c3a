import { Queue as BullQueue } from 'bullmq';
import { type LaneId, laneText } from '../push/lane-id.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { ShardKeys } from '../redis/keys.ts';
import type { Shards } from '../redis/shards.ts';
import { jobId } from './job-id.ts';
import { queueOf } from './queue-name.ts';

/** The queue of push notifications: no agent can have this name. */
export const PUSH_QUEUE = '@push';

const JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: true,
  // A processor that throws (Redis was away) is run again; attempts at a turn are counted by beginTurn, not here.
  attempts: 1_000,
  backoff: { type: 'fixed', delay: 1_000 },
} as const;
/** It goes before the jobs that nobody has begun yet. */
const AWAITED = { lifo: true } as const;

const options = (more: object): string => JSON.stringify({ ...JOB_OPTIONS, ...more }).slice(0, -1);
const ORDINARY_OPTIONS = options({});
const AWAITED_OPTIONS = options(AWAITED);

/** Of a task's job, as add-jobs.lua has them. @param isAwaited as of `add` */
export function jobOptions(isAwaited = false): string {
  return isAwaited ? AWAITED_OPTIONS : ORDINARY_OPTIONS;
}

/** Jobs by what they are doing. `delayed`: they come back after a while. */
export interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** The jobs of all agents: a BullMQ queue per agent and shard. A job says no more than which task has something to do. */
export class Queue {
  readonly #queues = new Map<string, BullQueue>();
  readonly #redis: RedisConnection;
  readonly #shards: Shards;

  constructor(redis: RedisConnection, shards: Shards) {
    this.#redis = redis;
    this.#shards = shards;
  }

  /**
   * For a job that may be in no queue any more: it came there in the step in which its task got it (add-jobs.lua).
   * Swallowed by the queue while it has this job.
   * @param options `isAwaited`: a turn that runs waits for this one, which goes before those that nobody has begun yet.
   *   `isSuspicious`: the job was added again and again, and nothing came of it
   */
  async add(
    agent: string,
    taskId: string,
    job: number,
    { isAwaited = false, isSuspicious = false } = {},
  ): Promise<void> {
    const queue = this.#queue(agent, this.#shards.of(taskId));
    const id = jobId(taskId, job);
    if (isSuspicious) await removeIfMislaid(queue, id);
    await queue.add('turn', {}, { ...JOB_OPTIONS, jobId: id, ...(isAwaited && AWAITED) });
  }

  /** Of a webhook that has something to be told. Swallowed by the queue while it has this job. @param options as of `add` */
  async addPush(lane: LaneId, job: number, { isSuspicious = false } = {}): Promise<void> {
    const queue = this.#queue(PUSH_QUEUE, this.#shards.of(lane.taskId));
    const id = jobId(laneText(lane), job);
    if (isSuspicious) await removeIfMislaid(queue, id);
    await queue.add('push', {}, { ...JOB_OPTIONS, jobId: id });
  }

  /** A job that is running stays. */
  async remove(agent: string, taskId: string, job: number): Promise<void> {
    await this.#queue(agent, this.#shards.of(taskId)).remove(jobId(taskId, job));
  }

  /** Of the jobs of an agent, over all shards. */
  async counts(agent: string): Promise<JobCounts> {
    const counts = await this.#onShards(agent, (queue) => queue.getJobCounts('waiting', 'active', 'delayed'));
    const sum = (name: string): number => counts.reduce((total, count) => total + (count[name] ?? 0), 0);
    return { waiting: sum('waiting'), active: sum('active'), delayed: sum('delayed') };
  }

  /** Jobs are added and wait: no worker is given any, until `resume`. Those that run go on. */
  async pause(agent: string): Promise<void> {
    await this.#onShards(agent, (queue) => queue.pause());
  }

  async resume(agent: string): Promise<void> {
    await this.#onShards(agent, (queue) => queue.resume());
  }

  async isPaused(agent: string): Promise<boolean> {
    return (await this.#onShards(agent, (queue) => queue.isPaused())).includes(true);
  }

  /** What BullMQ knows of a job: `waiting`, `active`, `delayed` …, or `unknown`. */
  stateOf(agent: string, taskId: string, job: number): Promise<string> {
    return this.#queue(agent, this.#shards.of(taskId)).getJobState(jobId(taskId, job));
  }

  /** Whether an agent, or one that shares its queue, was ever given a job. */
  async isUsed(agent: string): Promise<boolean> {
    const counters = this.#shards.all.map((keys) => this.#redis.exists(this.#queue(agent, keys).toKey('id')));
    return (await Promise.all(counters)).includes(1);
  }

  /** Jobs that wait for a worker, over all shards. */
  async waiting(agent: string): Promise<number> {
    const counts = await Promise.all(this.#shards.all.map((keys) => this.#queue(agent, keys).getWaitingCount()));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Wakes a worker for each shard in which jobs wait, or are back from a delay. BullMQ wakes one worker per job, by an entry
   * that it takes off the queue's marker: one that is frozen, or whose connection is dead but open, takes it and sleeps on; and
   * one that dies takes with it when the next delayed job is due.
   * @returns jobs that wait or are back, over all shards
   */
  async wake(agent: string): Promise<number> {
    const counts = await Promise.all(this.#shards.all.map((keys) => this.#wakeShard(agent, keys)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    this.#queues.clear();
  }

  async #wakeShard(agent: string, keys: ShardKeys): Promise<number> {
    const queue = this.#queue(agent, keys);
    const [waiting, back] = await Promise.all([queue.getWaitingCount(), queue.getDelayedCount(Date.now())]);
    const ready = waiting + back;
    // Whoever is woken would be given none.
    if (ready && (await queue.isPaused())) return 0;
    if (ready) await this.#redis.zadd(queue.toKey('marker'), 0, '0');
    return ready;
  }

  #onShards<T>(agent: string, ask: (queue: BullQueue) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#shards.all.map((keys) => ask(this.#queue(agent, keys))));
  }

  #queue(agent: string, keys: ShardKeys): BullQueue {
    const shared = queueOf(agent);
    const name = `${keys.queues}:${shared}`;
    const known = this.#queues.get(name);
    if (known) return known;
    const queue = new BullQueue(shared, { connection: this.#redis, prefix: keys.queues, skipMetasUpdate: true });
    // The connection is the store's, which hears of its errors itself; without a listener BullMQ prints them.
    queue.on('error', () => undefined);
    this.#queues.set(name, queue);
    return queue;
  }
}

/** A job that the queue knows but has in none of its lists would swallow every add for ever. */
async function removeIfMislaid(queue: BullQueue, id: string): Promise<void> {
  if ((await queue.getJobState(id)) === 'unknown') await queue.remove(id);
}
