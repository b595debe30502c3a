import { scheduleUri } from '@switchyard/protocol';

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

/** The schedule as metadata of a task, as JSON. */
export function scheduleText(schedule: Schedule): string {
  return JSON.stringify({ [scheduleUri]: schedule });
}

/** @param text a `scheduleText`; '' if there is none */
export function parseSchedule(text: string): Schedule | undefined {
  return text === '' ? undefined : JSON.parse(text)[scheduleUri];
}
