import { type FieldViolation, invalidParams, scheduleUri } from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import { longestAheadMs, nextTimes } from '@switchyard/schedules';
import type { Schedule } from '@switchyard/store';
import { z } from 'zod';
import type { Backend } from './backend.ts';
import type { ConditionalSend } from './if-generation.ts';

const time = z.iso.datetime({ offset: true, error: 'must be a time such as 2030-01-31T09:00:00Z' });
const wrongCron = { error: 'must be a cron expression of five fields, or of six with seconds before them' };
/** Five fields, or six. The parser would choose `H` at random. */
const cron = z
  .string()
  .max(200)
  .regex(/^[\dA-Z*,/?#-]+(?: +[\dA-Z*,/?#-]+){4,5}$/i, wrongCron)
  .refine((fields) => !/(?<![A-Z])H(?![A-Z])/i.test(fields), wrongCron);
const scheduleSchema = z.strictObject({
  at: time.optional(),
  cron: cron.optional(),
  timeZone: z.string().max(64).refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' }).optional(),
  until: time.optional(),
  times: z.int().min(1).max(1_000_000).optional(),
});
const messageSchema = z.object({ message: z.object({ metadata: z.object({ [scheduleUri]: scheduleSchema }) }) });

type RequestedSchedule = z.infer<typeof scheduleSchema>;

/** So many times are looked at to find the shortest interval. */
const TIMES_COMPARED = 10;

/**
 * Reads what the extension asks for (docs/extensions/schedule.md).
 * @returns undefined: the message is not scheduled
 * @throws {A2AError} InvalidParams
 */
export async function readSchedule(
  { settings, schedules }: Pick<Backend, 'settings' | 'schedules'>,
  request: ConditionalSend,
): Promise<Schedule | undefined> {
  const { message } = request;
  if (message.metadata?.[scheduleUri] === undefined) return undefined;
  const requested = parse(messageSchema, request).message.metadata[scheduleUri] ?? {};
  if (message.taskId !== undefined)
    throw invalidParams([{ field: 'message.taskId', description: 'must be absent: the message creates a new task' }]);
  const { at, ...recurring } = requested;
  if (requested.cron !== undefined && at === undefined)
    return { ...defined(recurring), at: firstTime(requested, settings.minCronIntervalMs, await schedules.nowMs()) };
  if (at === undefined || requested.cron !== undefined) throw wrong('at', 'or `cron` must be given, and not both');
  const misplaced = (['timeZone', 'until', 'times'] as const).filter((name) => requested[name] !== undefined);
  if (misplaced.length > 0)
    throw invalidParams(misplaced.map((name) => violation(name, 'is for schedules with `cron`')));
  // By this clock, without a question to Redis: only Redis' clock begins tasks, but a year may be longer or shorter.
  if (Date.parse(at) > Date.now() + longestAheadMs) throw wrong('at', `must be within ${LONGEST}`);
  return { at: new Date(at).toISOString() };
}

const LONGEST = `${longestAheadMs / 86_400_000} days`;

/** @throws {A2AError} */
function firstTime(requested: RequestedSchedule, minIntervalMs: number, nowMs: number): string {
  const times = timesOf(requested, nowMs);
  const [first] = times;
  if (first === undefined) throw wrong('cron', `has no time within ${LONGEST}`);
  if (requested.until !== undefined && first > Date.parse(requested.until))
    throw wrong('until', 'is before the first time');
  if (times.some((ms, i) => i > 0 && ms - (times[i - 1] ?? 0) < minIntervalMs))
    throw wrong('cron', `must leave at least ${minIntervalMs / 1_000} s between two times`);
  return new Date(first).toISOString();
}

function timesOf(requested: RequestedSchedule, nowMs: number): readonly number[] {
  try {
    return nextTimes(requested, nowMs, TIMES_COMPARED);
  } catch (error) {
    throw wrong('cron', `is no cron expression: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const wrong = (name: keyof RequestedSchedule, description: string) => invalidParams([violation(name, description)]);

function violation(name: keyof RequestedSchedule, description: string): FieldViolation {
  return { field: `message.metadata["${scheduleUri}"].${name}`, description };
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Without what is undefined. */
function defined({ cron, timeZone, until, times }: Omit<RequestedSchedule, 'at'>): Omit<Schedule, 'at'> {
  return {
    ...(cron !== undefined && { cron }),
    ...(timeZone !== undefined && { timeZone }),
    ...(until !== undefined && { until }),
    ...(times !== undefined && { times }),
  };
}
