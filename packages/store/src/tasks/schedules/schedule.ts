import { scheduleUri } from '@switchyard/protocol';
import { nextTimes } from './cron-times.ts';

/** When a task begins, and whether others follow: as in the metadata of the task (docs/extensions/schedule.md). */
export interface Schedule {
  /** When the task begins: ISO time, in UTC. If it is in the past, the task begins at once. */
  readonly at: string;
  /** Cron expression of the tasks that follow: five fields, or six with seconds before them. */
  readonly cron?: string;
  /** Time zone of the cron expression. Default: UTC. */
  readonly timeZone?: string;
  /** No task begins after this ISO time. */
  readonly until?: string;
  /** Number of tasks that are left, this one included. */
  readonly times?: number;
  /** With `cron`: the id of the schedule, which is that of its first task. */
  readonly scheduleId?: string;
  /** The previous task of the schedule. */
  readonly previousTaskId?: string;
}

/** The schedule of the next task, after one that is due. @param afterMs now @returns undefined: there is none */
export function following({ at, previousTaskId: _, ...schedule }: Schedule, afterMs: number): Schedule | undefined {
  const { cron, until, times } = schedule;
  if (cron === undefined || (times !== undefined && times <= 1)) return undefined;
  const [nextMs] = nextTimes(schedule, Math.max(Date.parse(at), afterMs), 1);
  if (nextMs === undefined || (until !== undefined && nextMs > Date.parse(until))) return undefined;
  return { ...schedule, at: new Date(nextMs).toISOString(), ...(times !== undefined && { times: times - 1 }) };
}

/** The schedule as metadata of a task, as JSON. */
export function scheduleText(schedule: Schedule): string {
  return JSON.stringify({ [scheduleUri]: schedule });
}

/** @param text a `scheduleText`; '' if there is none */
export function parseSchedule(text: string): Schedule | undefined {
  return text === '' ? undefined : JSON.parse(text)[scheduleUri];
}
