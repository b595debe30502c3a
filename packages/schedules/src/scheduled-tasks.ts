import type { Message, Task } from '@switchyard/protocol';
import { type PushDependencies, Webhooks } from '@switchyard/push';
import { defineScript, integer, tuple, word, workOff } from '@switchyard/redis';
import type { Acceptance, KeepFiles, Schedule } from '@switchyard/store';
import {
  type AcceptDependencies,
  accept,
  agentOf,
  type CachedReadDependencies,
  claimMembers,
  originOf,
  parseSchedule,
  queueName,
  queueRoot,
  readTask,
  recordArgNames,
  recordArgValues,
  recordKeyNames,
  type ShardKeys,
} from '@switchyard/store/inside';
import { nextTimes } from './cron-times.ts';

const from = import.meta.url;
export const beginScheduledScript = defineScript({
  file: 'begin-scheduled.lua',
  from,
  keys: [...recordKeyNames, 'queueRoot'],
  args: [...recordArgNames, 'owner', 'hasNext'],
  reply: tuple(word('begun', 'begun-before', 'early', 'gone'), integer),
});

const TASKS_PER_CLAIM = 100;
/** How long a task waits for another process if the one that claimed it dies. */
const CLAIM_MS = 2_000;
/** A task that begins later than in a hundred years belongs to a paused schedule: see scheduled-tasks.lua. */
const LONGEST_MS = 100 * 365 * 24 * 3_600_000;
/** Pause before the next task of a schedule is tried again, after a limit did not allow it. */
const RETRY_MS = 60_000;

type SchedulesDependencies = AcceptDependencies & CachedReadDependencies & PushDependencies;

/** A scheduled task that has begun. */
export interface BegunTask {
  readonly agent: string;
  readonly taskId: string;
  /** From its scheduled time until now, by Redis' clock. */
  readonly lateMs: number;
}

/** A task whose schedule goes on, and why its next task was not made. */
export interface RefusedNextTask {
  readonly agent: string;
  readonly taskId: string;
  readonly why: Exclude<Acceptance['verdict'], 'accepted'>;
  /** A limit did not allow it, and it is tried again; otherwise the schedule ends. */
  readonly willRetry: boolean;
}

export interface BegunTasks {
  readonly tasks: readonly BegunTask[];
  readonly refused: readonly RefusedNextTask[];
  /** Errors of tasks that are tried again soon, and of webhooks that their next tasks go on without. */
  readonly errors: readonly unknown[];
  /** Time until other tasks are due; Infinity: none is scheduled. */
  readonly nextInMs: number;
}

/** For workers: begins scheduled tasks when their times come, and makes the next tasks of their schedules. */
export class ScheduledTasks {
  readonly #dependencies: SchedulesDependencies;
  readonly #webhooks: Webhooks;

  constructor(dependencies: SchedulesDependencies) {
    this.#dependencies = dependencies;
    this.#webhooks = new Webhooks(dependencies);
  }

  /**
   * Begins tasks that are due, and makes the next tasks of their schedules. Several processes may do so at once.
   * @param shards default: all
   * @param keepFiles default: no message has files
   */
  async begin(shards = this.#dependencies.shards.all, keepFiles: KeepFiles = () => undefined): Promise<BegunTasks> {
    const all = await Promise.all(shards.map((keys) => this.#beginIn(keys, keepFiles)));
    return {
      tasks: all.flatMap(({ tasks }) => tasks),
      refused: all.flatMap(({ refused }) => refused),
      errors: all.flatMap(({ errors }) => errors),
      nextInMs: Math.min(...all.map(({ nextInMs }) => nextInMs)),
    };
  }

  async #beginIn(keys: ShardKeys, keepFiles: KeepFiles): Promise<BegunTasks> {
    const { redis } = this.#dependencies;
    const [tasks, refused, unreadable]: [BegunTask[], RefusedNextTask[], unknown[]] = [[], [], []];
    let nextInMs = 0;
    let nowMs = 0;
    const set = { key: keys.scheduledTasks, limit: TASKS_PER_CLAIM };
    const { errors } = await workOff({
      ...set,
      redis,
      claim: async () => {
        const claims = await claimMembers(redis, keys, { ...set, claimMs: CLAIM_MS, field: 'schedule' });
        nowMs = claims.nowMs;
        nextInMs = claims.nextInMs < 0 || claims.nextInMs > LONGEST_MS ? Number.POSITIVE_INFINITY : claims.nextInMs;
        return claims;
      },
      work: async ({ member, field }) => {
        const [taskId = '', owner = ''] = member.split(' ');
        const outcome = await this.#beginTask({
          keys,
          taskId,
          owner,
          schedule: parseSchedule(field),
          nowMs,
          keepFiles,
        });
        if (outcome.begun) tasks.push(outcome.begun);
        if (outcome.refused) refused.push(outcome.refused);
        unreadable.push(...outcome.unreadable);
      },
    });
    return { tasks, refused, errors: [...errors, ...unreadable], nextInMs };
  }

  async #beginTask(claimed: ClaimedTask): Promise<NextTask & { begun?: BegunTask }> {
    const { taskId, owner, nowMs, schedule } = claimed;
    const agent = agentOf(owner);
    const next = schedule && following(schedule, nowMs);
    const [verdict, dueMs] = await this.#run(claimed, next !== undefined);
    const begun = verdict === 'begun' && { begun: { agent, taskId, lateMs: Math.max(0, nowMs - dueMs) } };
    if (!next || (verdict !== 'begun' && verdict !== 'begun-before')) return { ...begun, ...noNextTask };
    return { ...begun, ...(await this.#makeNext(claimed, next)) };
  }

  #run({ keys, taskId, owner }: ClaimedTask, hasNext: boolean) {
    const { redis, settings } = this.#dependencies;
    return beginScheduledScript.run(redis, {
      keys: { ...keys.record(taskId), queueRoot: queueRoot(queueName(agentOf(owner)), keys) },
      args: { ...recordArgValues(taskId, settings), owner, hasNext: hasNext ? '1' : '' },
    });
  }

  /** Makes the next task of a schedule, with the same message. It replaces its predecessor in the list. */
  async #makeNext(claimed: ClaimedTask, schedule: Schedule): Promise<NextTask> {
    const { keys, taskId, owner, nowMs, keepFiles } = claimed;
    const origin = await originOf(this.#dependencies, taskId);
    if (!origin) return noNextTask;
    const { scope, given } = origin;
    const reading = await readTask(this.#dependencies, scope, taskId, { includeArtifacts: false });
    const task: Task | undefined = reading?.task && JSON.parse(reading.task.toString());
    const [first] = task?.history ?? [];
    if (!task || !first) return noNextTask;
    const { webhooks, errors } = await this.#webhooks.readable(scope, taskId);
    const [webhook, ...otherWebhooks] = webhooks;
    // If a fail-over loses the new task, it is made again with the id that clients may have seen.
    const reservedId = this.#dependencies.shards.derivedId(taskId, `task after ${taskId}`);
    // Before it exists: until then this task keeps them, without which it is not made.
    await keepFiles(scope.principal, first.parts, reservedId);
    const accepted = await accept(this.#dependencies, scope, {
      ...given,
      message: this.#messageAfter(task, first),
      reservedId,
      schedule: { ...schedule, previousTaskId: taskId },
      previousTaskId: taskId,
      ...(webhook && { webhook, otherWebhooks }),
    });
    const { verdict } = accepted;
    if (verdict === 'accepted') return { unreadable: errors };
    // Another process has made the next task, or this one was deleted, or a fail-over lost its begin.
    if (verdict === 'missing') return noNextTask;
    const willRetry = verdict.startsWith('too-many') || verdict === 'overloaded';
    if (willRetry)
      await this.#dependencies.redis.zadd(keys.scheduledTasks, 'XX', nowMs + RETRY_MS, `${taskId} ${owner}`);
    else await this.#run(claimed, false);
    return { unreadable: [], refused: { agent: agentOf(owner), taskId, why: verdict, willRetry } };
  }

  /** The message of the next task. Its id is the same in every process, and cannot be one that a client gives. */
  #messageAfter({ id, contextId = id }: Task, { taskId: _, ...first }: Message): Message {
    return { ...first, contextId, messageId: this.#dependencies.shards.derivedId(id, `after ${id}`) };
  }
}

/** What became of the next task of a schedule. */
interface NextTask {
  /** Unset: its next task was made, or it has none. */
  readonly refused?: RefusedNextTask;
  /** Webhooks that could not be copied. */
  readonly unreadable: readonly Error[];
}
const noNextTask: NextTask = { unreadable: [] };

interface ClaimedTask {
  readonly keys: ShardKeys;
  readonly taskId: string;
  readonly owner: string;
  /** Unset: it has none, or it cannot be read. */
  readonly schedule: Schedule | undefined;
  readonly nowMs: number;
  readonly keepFiles: KeepFiles;
}

/** The schedule of the next task, after one that is due. @param afterMs now @returns undefined: there is none */
function following({ at, previousTaskId: _, ...schedule }: Schedule, afterMs: number): Schedule | undefined {
  const { cron, until, times } = schedule;
  if (cron === undefined || (times !== undefined && times <= 1)) return undefined;
  const [nextMs] = nextTimes(schedule, Math.max(Date.parse(at), afterMs), 1);
  if (nextMs === undefined || (until !== undefined && nextMs > Date.parse(until))) return undefined;
  return { ...schedule, at: new Date(nextMs).toISOString(), ...(times !== undefined && { times: times - 1 }) };
}
