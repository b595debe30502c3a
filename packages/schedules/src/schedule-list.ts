import type { Principal, TaskState } from '@switchyard/protocol';
import { type DurableDependencies, defineScript, redisTimeMs, runDurably, word } from '@switchyard/redis';
import { type Page, type PageQuery, principalKey, type Schedule, type StoreSettings } from '@switchyard/store';
import {
  agentOf,
  idText,
  pageOf,
  parseSchedule,
  recordArgNames,
  recordArgValues,
  recordKeyNames,
  type ShardKeys,
  type Shards,
  scheduleText,
  scopeOf,
  stateOf,
} from '@switchyard/store/inside';
import { nextTimes } from './cron-times.ts';

const changeScheduleScript = defineScript({
  file: 'change-schedule.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'owner', 'scheduleId', 'change', 'dueMs', 'scheduleText'],
  reply: word('done', 'moved', 'gone'),
});

export interface ScheduleListDependencies extends DurableDependencies {
  readonly shards: Shards;
  readonly settings: StoreSettings;
}

/** A schedule that goes on: with `cron` a series of tasks, without it one task. Times are ISO. */
export interface ScheduleReading {
  /** The id of its first task. */
  readonly scheduleId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly subject: string;
  readonly contextId: string;
  /** `delayed`: a quota leaves no room for the next task, which is created later. */
  readonly state: 'active' | 'paused' | 'delayed';
  readonly cron?: string;
  readonly timeZone?: string;
  readonly until?: string;
  /** Number of tasks that are left. */
  readonly times?: number;
  /** The task that waits. Unset: `delayed`. */
  readonly nextTaskId?: string;
  /** When that task begins. Unset also while the schedule is paused. */
  readonly nextAt?: string;
  /** The latest task that has begun. */
  readonly lastTaskId?: string;
  readonly lastAt?: string;
  /** Unset: that task is no longer kept. */
  readonly lastState?: TaskState;
}

export type ScheduleChange = 'pause' | 'resume' | 'end';
/** `over`: it cannot be resumed, since it has no time left. */
export type ScheduleVerdict = 'done' | 'gone' | 'over';

/** Only schedules of this tenant, principal or agent. */
export interface ScheduleFilter {
  readonly principal?: Principal | undefined;
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
  /** Unset: all. */
  readonly agents?: readonly string[] | undefined;
}

/** An entry of the list. */
interface Entry {
  readonly keys: ShardKeys;
  readonly owner: string;
  readonly scheduleId: string;
}

/** The schedules that go on, for clients and operators, who pause, resume and end them. */
export class ScheduleList {
  readonly #dependencies: ScheduleListDependencies;

  constructor(dependencies: ScheduleListDependencies) {
    this.#dependencies = dependencies;
  }

  /** By Redis' clock, which begins scheduled tasks. */
  nowMs(): Promise<number> {
    return redisTimeMs(this.#dependencies.redis);
  }

  /** By principal and agent. @param others of other deployments, which the list includes @throws {InvalidPageToken} */
  async list(
    filter: ScheduleFilter,
    query: PageQuery,
    others: readonly ScheduleList[] = [],
  ): Promise<Page<ScheduleReading>> {
    const { principal, tenant, agent } = filter;
    const ofTenant = tenant === undefined ? '' : `${encodeURIComponent(tenant)}/`;
    const root = principal ? `${principalKey(principal)}/` : ofTenant;
    const found = await Promise.all([this, ...others].map((schedules) => schedules.#allEntries(root)));
    const entries = found.flat().filter(({ owner }) => isOf(agentOf(owner), filter));
    const page = pageOf(entries, query, {
      list: `schedules ${root} ${agent ?? ''}`,
      positionOf: ({ owner, scheduleId }) => `${owner} ${scheduleId}`,
    });
    const items = await Promise.all(page.items.map((entry) => entry.schedules.#read(entry)));
    return { ...page, items: items.filter((item) => item !== undefined) };
  }

  /**
   * @param id of the schedule, or of another of its tasks
   * @returns undefined: no schedule of this principal, or for operators of any, goes on with this id
   */
  async read(id: string, principal?: Principal): Promise<ScheduleReading | undefined> {
    const found = await this.#find(id, principal);
    return found && this.#read(found);
  }

  /**
   * @param id of the schedule, or of another of its tasks
   * @param principal unset: for operators
   * @throws {NotReplicated}
   */
  async change(id: string, change: ScheduleChange, principal?: Principal): Promise<ScheduleVerdict> {
    for (;;) {
      const entry = await this.#find(id, principal);
      const taskId = entry && (await this.#taskOf(entry)).taskId;
      if (!entry || taskId === undefined) return 'gone';
      const resumed = change === 'resume' ? await this.#resumed(entry.keys, taskId) : notResumed;
      if (resumed === undefined) return 'over';
      const verdict = await runDurably(this.#dependencies, changeScheduleScript, {
        keys: entry.keys.record(taskId),
        args: {
          ...recordArgValues(taskId, this.#dependencies.settings),
          owner: entry.owner,
          scheduleId: entry.scheduleId,
          change,
          ...resumed,
        },
      });
      // Its next task was created after the look-up.
      if (verdict !== 'moved') return verdict;
    }
  }

  async #allEntries(root: string) {
    const shards = await Promise.all(this.#dependencies.shards.all.map((keys) => this.#entries(keys, root)));
    return shards.flat().map((entry) => ({ ...entry, schedules: this }));
  }

  async #entries(keys: ShardKeys, root: string): Promise<Entry[]> {
    const [from, to] = root === '' ? ['-', '+'] : [`[${root}`, `(${root}\u00ff`];
    const members = await this.#dependencies.redis.zrange(keys.schedules, from, to, 'BYLEX');
    return members.map((member) => {
      const [owner = '', scheduleId = ''] = member.split(' ');
      return { keys, owner, scheduleId };
    });
  }

  /** The owner is that of the task that waits, which is kept as long as the schedule goes on. */
  async #find(id: string, principal?: Principal): Promise<Entry | undefined> {
    const { redis, shards } = this.#dependencies;
    const keys = shards.of(id);
    const scheduleId = (await redis.hget(keys.task(id), 'schedule_id')) ?? idText(id);
    const { taskId } = await this.#taskOf({ keys, owner: '', scheduleId });
    const owner = taskId === undefined ? null : await redis.hget(keys.task(taskId), 'owner');
    if (owner === null || (principal && !owner.startsWith(`${principalKey(principal)}/`))) return undefined;
    return { keys, owner, scheduleId };
  }

  async #taskOf({ keys, scheduleId }: Entry): Promise<{ taskId?: string; isPaused: boolean }> {
    const text = await this.#dependencies.redis.hget(keys.tasksOfSchedules, scheduleId);
    const [taskId, mark] = text?.split(' ') ?? [];
    return { ...(taskId !== undefined && { taskId }), isPaused: mark === 'paused' };
  }

  async #read(entry: Entry): Promise<ScheduleReading | undefined> {
    const { keys, owner, scheduleId } = entry;
    const { taskId, isPaused } = await this.#taskOf(entry);
    if (taskId === undefined) return undefined;
    const task = await this.#taskFields(keys, taskId);
    if (!task) return undefined;
    const { schedule, waits, contextId } = task;
    const lastTaskId = waits ? schedule?.previousTaskId : taskId;
    const last = lastTaskId === undefined ? undefined : await this.#taskFields(keys, lastTaskId);
    const { principal, agent } = scopeOf(owner);
    const { at, cron, timeZone, until, times } = schedule ?? {};
    return {
      scheduleId,
      agent,
      tenant: principal.tenant,
      subject: principal.subject,
      contextId,
      state: isPaused ? 'paused' : waits ? 'active' : 'delayed',
      ...definedOf({ cron, timeZone, until, times }),
      ...(waits && definedOf({ nextTaskId: taskId, nextAt: isPaused ? undefined : at })),
      ...definedOf({ lastTaskId, lastAt: last?.schedule?.at, lastState: last?.state }),
    };
  }

  async #taskFields(keys: ShardKeys, taskId: string) {
    const fields = await this.#dependencies.redis.hmget(keys.task(taskId), 'state', 'later', 'schedule', 'context');
    const [letter, later, schedule, context] = fields;
    if (!letter) return undefined;
    const contextId: string = JSON.parse(`"${context}"`);
    return { state: stateOf(letter), waits: Boolean(later), schedule: parseSchedule(schedule ?? ''), contextId };
  }

  /** When the task that waits begins: at its time, or if that has passed, at the next one. undefined: there is none. */
  async #resumed(keys: ShardKeys, taskId: string): Promise<typeof notResumed | undefined> {
    const task = await this.#taskFields(keys, taskId);
    const nowMs = await this.nowMs();
    if (!task?.waits || !task.schedule || Date.parse(task.schedule.at) > nowMs) return notResumed;
    const schedule: Schedule = task.schedule;
    const { cron, until } = schedule;
    const [nextMs] = cron === undefined ? [nowMs] : nextTimes(schedule, nowMs, 1);
    if (nextMs === undefined || (until !== undefined && nextMs > Date.parse(until))) return undefined;
    return {
      dueMs: String(nextMs),
      scheduleText: scheduleText({ ...schedule, at: new Date(nextMs).toISOString() }),
    };
  }
}

/** The fields that have a value. */
function definedOf<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

function isOf(agent: string, { agent: only, agents }: ScheduleFilter): boolean {
  return (only === undefined || agent === only) && (agents?.includes(agent) ?? true);
}

const notResumed = { dueMs: '', scheduleText: '' };
