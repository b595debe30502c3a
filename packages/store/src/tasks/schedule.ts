import { scheduleUri } from '@switchyard/protocol';
import { CronExpressionParser } from 'cron-parser';

/** When a task begins, and whether others follow it: as in the metadata of the task (docs/extensions/schedule.md). */
export interface Schedule {
  /** ISO time, in UTC. One that has passed is due at once. */
  readonly at: string;
  /** Others follow: five fields, or six with seconds before them. */
  readonly cron?: string;
  /** In which the fields are read. Default: UTC. */
  readonly timeZone?: string;
  /** None begins after it. ISO time. */
  readonly until?: string;
  /** How often it begins from now on, this time included. */
  readonly times?: number;
  /** The task that it follows. */
  readonly previousTaskId?: string;
}

interface Recurring {
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** No time is farther ahead. */
export const longestAheadMs = 366 * 24 * 3_600_000;

/**
 * The next times of a cron expression, in ms; those within `longestAheadMs`.
 * @throws {Error} it is none, or the time zone is not known; the message says what is wrong
 */
export function nextTimes({ cron = '', timeZone = 'UTC' }: Recurring, afterMs: number, most: number): number[] {
  const expression = CronExpressionParser.parse(cron, {
    currentDate: new Date(afterMs),
    endDate: new Date(afterMs + longestAheadMs),
    tz: timeZone,
  });
  const times: number[] = [];
  while (times.length < most && expression.hasNext()) times.push(expression.next().getTime());
  return times;
}

/** What follows a task whose time has come. @param afterMs now @returns undefined: nothing does */
export function following({ at, previousTaskId: _, ...schedule }: Schedule, afterMs: number): Schedule | undefined {
  const { cron, until, times } = schedule;
  if (cron === undefined || (times !== undefined && times <= 1)) return undefined;
  const [nextMs] = nextTimes(schedule, Math.max(Date.parse(at), afterMs), 1);
  if (nextMs === undefined || (until !== undefined && nextMs > Date.parse(until))) return undefined;
  return { ...schedule, at: new Date(nextMs).toISOString(), ...(times !== undefined && { times: times - 1 }) };
}

/** As the metadata of a task. */
export function scheduleText(schedule: Schedule): string {
  return JSON.stringify({ [scheduleUri]: schedule });
}

/** @param text '' none */
export function parseSchedule(text: string): Schedule | undefined {
  return text === '' ? undefined : JSON.parse(text)[scheduleUri];
}
