import { defineScript, type RedisConnection, word } from '@switchyard/redis';
import { agentOf, tenantOf } from '../deployment/scope.ts';
import type { Shards } from '../deployment/shards.ts';
import { countJobs, type JobCounts, sumOfJobs } from './job-counts.ts';
import { type DeliveryQueueId, deliveryQueueText, jobId, queueName, queueRoot } from './queue-names.ts';

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

/** The queue of push notifications. No agent can have this id. */
export const PUSH_QUEUE = '@push';

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

/**
 * The jobs of all agents: a BullMQ queue per agent and shard. A job says which task has work to do, and whose share of
 * the queue it takes.
 */
export class Queues {
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

  /** Whether the queue ever had a job. */
  async isUsed(queue: string): Promise<boolean> {
    const counters = this.#shards.all.map((keys) => this.#redis.exists(`${queueRoot(queue, keys)}id`));
    return (await Promise.all(counters)).includes(1);
  }

  /** Jobs that wait for a worker, over all shards. */
  async waiting(queue: string): Promise<number> {
    return (await this.counts(queue)).waiting;
  }

  #add(root: string, args: Parameters<typeof addScript.run>[1]['args']): Promise<'added' | 'known'> {
    return addScript.run(this.#redis, { keys: { root }, args });
  }

  #rootsOf(queues: readonly string[]): string[] {
    return queues.flatMap((queue) => this.#shards.all.map((keys) => queueRoot(queue, keys)));
  }
}
