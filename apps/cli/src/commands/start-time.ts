import { CommandFailure } from '../failures/failure.ts';

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const forms = 'a time such as "tomorrow 9:00", 17:30, 2030-01-31T09:00 (local), 2030-01-31T09:00:00Z, or +2h';

/**
 * The time that a flag names: of this machine's time zone, unless it has another one.
 * @throws {CommandFailure} it is none of the forms
 */
export function timeIn(flag: string, text: string, now: Date): Date {
  const trimmed = text.trim();
  const time = afterNow(trimmed, now) ?? onDay(trimmed, now) ?? absolute(trimmed);
  if (time && !Number.isNaN(time.getTime())) return time;
  throw new CommandFailure('A2ACLI_ERR_USAGE', `${flag} ${text}: it must be ${forms}`);
}

/** `2030-01-31T09:00:00.000Z, Thu Jan 31 2030 10:00:00 GMT+0100`: what was understood. */
export function timeText(time: Date): string {
  return `${time.toISOString()} (here ${time.toString().split(' (', 1)[0]})`;
}

/** `+90s`, `+30m`, `+2h`, `+1d`. */
function afterNow(text: string, now: Date): Date | undefined {
  const [, count, unit] = /^\+(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  return new Date(now.getTime() + Number(count) * unitsMs[unit as keyof typeof unitsMs]);
}

/** `today 17:00`, `tomorrow`, `tomorrow 9:00`; `9:00` is the next time that a clock shows it. */
function onDay(text: string, now: Date): Date | undefined {
  const [, day, hour, minute] = /^(today|tomorrow)?(?:(?:^| +)(\d{1,2}):(\d{2}))?$/i.exec(text) ?? [];
  if (day === undefined && hour === undefined) return undefined;
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59) return undefined;
  const at = (days: number): Date =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, Number(hour ?? 0), Number(minute ?? 0));
  if (day !== undefined) return at(day.toLowerCase() === 'tomorrow' ? 1 : 0);
  return at(0) > now ? at(0) : at(1);
}

/** RFC 3339, or the same without seconds or an offset: then it is local. */
function absolute(text: string): Date | undefined {
  const form = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/i;
  if (!form.test(text)) return undefined;
  return new Date(text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T'));
}
