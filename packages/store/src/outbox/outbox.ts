import {
  type Claims,
  damagedMembers,
  damagedRow,
  defineScript,
  integer,
  SET_ASIDE_MS,
  text,
  tuple,
  tupleAnd,
  verdict,
  word,
  workOffShards,
} from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';
import type { ShardKeys } from '../deployment/keys.ts';
import { agentOf } from '../deployment/scope.ts';
import { queueName, queueRoot } from '../queue/queue-names.ts';
import type { Queues } from '../queue/queues.ts';
import { claimedTasks, type TaskMember } from '../record/claim-members.ts';
import { recordArgNames, recordArgValues, recordKeyNames } from '../record/record-args.ts';

const from = import.meta.url;
const claimTasksScript = defineScript({
  file: 'claim-tasks.lua',
  from,
  keys: ['outbox', 'tasksRoot', 'queues'],
  args: ['sweepAfterMs', 'limit', 'latestMs'],
  reply: tupleAnd([integer, integer, integer], verdict({ claimed: tuple(text, text), damaged: damagedRow })),
});
const sweepVerdict = word('idle', 'add', 'canceled', 'missing');
export const sweepScript = defineScript({
  file: 'sweep.lua',
  from,
  keys: [...recordKeyNames, 'root'],
  args: [...recordArgNames, 'claimedMs'],
  reply: tuple(sweepVerdict, integer, text, integer, text, text, text, text),
});

const TASKS_AT_ONCE = 200;
/** Longest sweep while tasks are due: with many waiting, a lost job is found soon. */
const SWEEP_FOR_MS = 1_500;
/** After every third sweep without a turn, the queue's lists are searched for the job: it may be in none of them. */
const SUSPICIOUS_SWEEPS = 3;
/** No task is due as late as after this many times `sweepAfterMs`: sweep.lua writes eight times at most. */
const MAX_DELAYS = 16;
/** When a task is due at the latest, unless Redis' clock was set back. */
const latestMs = (sweepAfterMs: number): number => Math.max(MAX_DELAYS * sweepAfterMs, 2 * SET_ASIDE_MS);

interface OutboxDependencies extends DeploymentDependencies {
  readonly queue: Queues;
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
  readonly #dependencies: OutboxDependencies;

  constructor(dependencies: OutboxDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Several processes may sweep at once.
   * @param shards default: all
   * @throws the errors, after all other tasks were swept
   */
  async sweep(shards = this.#dependencies.shards.all): Promise<Swept> {
    const swept = { added: 0, known: 0, canceled: 0, idle: 0, missing: 0 };
    await workOffShards<ShardKeys, TaskMember>(shards, (keys) => ({
      redis: this.#dependencies.redis,
      key: keys.outbox,
      limit: TASKS_AT_ONCE,
      forMs: SWEEP_FOR_MS,
      claim: async () => {
        const claims = await this.#claim(keys);
        swept.known += claims.waiting;
        return claims;
      },
      work: async (task) => {
        swept[await this.#sweepTask(keys, task)]++;
      },
    }));
    const { added, known, canceled } = swept;
    return { added, known, canceled };
  }

  /** @returns those that need more than a look; `waiting`: number of others whose job waits in its queue */
  async #claim({ outbox, tasks, queues }: ShardKeys): Promise<Claims<TaskMember> & { readonly waiting: number }> {
    const { redis, settings } = this.#dependencies;
    const { sweepAfterMs } = settings;
    const [nowMs, done, waiting, ...rows] = await claimTasksScript.run(redis, {
      keys: { outbox, tasksRoot: tasks, queues },
      args: { sweepAfterMs, limit: TASKS_AT_ONCE, latestMs: latestMs(sweepAfterMs) },
    });
    const untilMs = nowMs + sweepAfterMs;
    return {
      nowMs,
      done,
      waiting,
      claimed: claimedTasks(rows, untilMs),
      damaged: damagedMembers(rows),
    };
  }

  async #sweepTask(keys: ShardKeys, { member: taskId, field, untilMs }: TaskMember): Promise<SweptTask> {
    const { redis, queue, settings } = this.#dependencies;
    const [verdict, job, owner, sweeps, awaited, known, skill, level] = await sweepScript.run(redis, {
      keys: { ...keys.record(taskId), root: queueRoot(queueName(agentOf(field)), keys) },
      args: { ...recordArgValues(taskId, settings), claimedMs: untilMs },
    });
    if (verdict !== 'add') return verdict;
    const isSuspicious = sweeps % SUSPICIOUS_SWEEPS === 0;
    if (known === '1' && !isSuspicious) return 'known';
    return queue.add(owner, { taskId, job, skill, level }, { isAwaited: awaited === '1', isSuspicious });
  }
}
