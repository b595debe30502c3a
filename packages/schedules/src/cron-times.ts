import { type CronExpression, CronExpressionParser } from 'cron-parser';
import { ZoneClock } from './zone-clock.ts';

interface Recurring {
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** How far ahead a task can be scheduled. */
export const longestAheadMs = 366 * 24 * 3_600_000;

/**
 * The next times of a cron expression within `longestAheadMs`, in ms. If the clock skips a time, the time is when the
 * clock goes on; a time that the clock shows twice is the first of the two. An expression for every hour follows the
 * time that has passed instead: it has the hour that the clock shows twice two times.
 * @throws {Error} the expression is invalid, or the time zone is unknown; the message says what is wrong
 */
export function nextTimes({ cron = '', timeZone = 'UTC' }: Recurring, afterMs: number, limit: number): number[] {
  const clock = new ZoneClock(timeZone);
  const readings = new Readings(cron, clock.readingAt(afterMs));
  const next = readings.areOfEveryHour ? nextWhenShown : nextWhenReached;
  const times: number[] = [];
  while (times.length < limit) {
    const time = next(clock, readings, times.at(-1) ?? afterMs);
    if (time === undefined || time > afterMs + longestAheadMs) break;
    times.push(time);
  }
  return times;
}

/** The next time at which the clock reaches one of the readings. */
function nextWhenReached(clock: ZoneClock, readings: Readings, afterMs: number): number | undefined {
  for (let reading = readings.next(); reading !== undefined; reading = readings.next()) {
    const time = clock.firstAt(reading);
    if (time > afterMs) return time;
  }
  return undefined;
}

/** The next time at which the clock shows one of the readings. */
function nextWhenShown(clock: ZoneClock, readings: Readings, afterMs: number): number | undefined {
  for (let fromMs = afterMs; ; ) {
    const offsetMs = clock.offsetMs(fromMs);
    const reading = readings.next();
    const time = (reading ?? Number.POSITIVE_INFINITY) - offsetMs;
    const changedMs = clock.firstChange(fromMs, Math.min(time, afterMs + longestAheadMs));
    if (changedMs === undefined) return reading === undefined ? undefined : time;
    fromMs = changedMs;
    readings.goTo(clock.readingAt(changedMs) - 1);
  }
}

/** The readings of a clock that a cron expression names, in order. */
class Readings {
  readonly #cron: string;
  #expression: CronExpression;

  /** @param after a reading */
  constructor(cron: string, after: number) {
    this.#cron = withoutWrappedRanges(cron);
    this.#expression = this.#after(after);
  }

  get areOfEveryHour(): boolean {
    return this.#expression.fields.hour.values.length === 24;
  }

  /** @returns undefined: there is none within `longestAheadMs` */
  next(): number | undefined {
    return this.#expression.hasNext() ? this.#expression.next().getTime() : undefined;
  }

  /** Continues with the readings after this one. */
  goTo(after: number): void {
    this.#expression = this.#after(after);
  }

  /** The parser computes with the clock of UTC, which is never changed. */
  #after(reading: number): CronExpression {
    const endDate = new Date(reading + longestAheadMs + LONGEST_CHANGE_MS);
    return CronExpressionParser.parse(this.#cron, { currentDate: new Date(reading), endDate, tz: 'UTC' });
  }
}

/** A zone can move to the other side of the date line. */
const LONGEST_CHANGE_MS = 24 * 3_600_000;

const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The same expression, with lists instead of ranges such as `FRI-MON`, `MON-SUN` and `NOV-FEB`. */
function withoutWrappedRanges(cron: string): string {
  const fields = cron.split(' ').filter((field) => field !== '');
  const [month = '', day = ''] = fields.splice(-2);
  return [...fields, unwrapped(month, months, 1), unwrapped(day, days, 0)].join(' ');
}

/** @param first number of the first name */
function unwrapped(field: string, names: readonly string[], first: number): string {
  const numberOf = (text: string): number => {
    const named = names.indexOf(text.toUpperCase());
    return named < 0 ? Number(text) : named + first;
  };
  return field
    .split(',')
    .map((item) => {
      const [, from = '', to = '', step = '1'] = /^(\w+)-(\w+)(?:\/(\d{1,2}))?$/.exec(item) ?? [];
      const [low, high, width] = [numberOf(from), numberOf(to), Number(step)];
      if (!(low > high) || low > names.length || width < 1) return item;
      const numbers: number[] = [];
      for (let n = low; n <= high + names.length; n += width) numbers.push(((n - first) % names.length) + first);
      return numbers.join(',');
    })
    .join(',');
}
