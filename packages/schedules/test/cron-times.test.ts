import { describe, expect, test } from 'vitest';
import { nextTimes } from '../src/cron-times.ts';

const next = (cron: string, timeZone: string | undefined, after: string, limit = 1): string[] =>
  nextTimes({ cron, timeZone }, Date.parse(after), limit).map((ms) => new Date(ms).toISOString().slice(0, 16));

describe('The next time of a cron expression', () => {
  test('is computed in its time zone', () => {
    expect(next('0 9 * * *', undefined, '2026-03-28T12:00Z')).toEqual(['2026-03-29T09:00']);
    expect(next('0 9 * * *', 'Europe/Berlin', '2026-03-28T12:00Z')).toEqual(['2026-03-29T07:00']);
  });

  test('that the clock skips is when the clock goes on, also at midnight', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z')).toEqual(['2026-03-29T01:00']);
    expect(next('0 0 * * *', 'Atlantic/Azores', '2026-03-28T12:00Z')).toEqual(['2026-03-29T01:00']);
    expect(next('0 0 * * *', 'America/Santiago', '2026-09-05T12:00Z')).toEqual(['2026-09-06T04:00']);
    expect(next('0 0 * * SUN', 'America/Santiago', '2026-09-03T12:00Z')).toEqual(['2026-09-06T04:00']);
    expect(next('0 0 5 9 *', 'America/Santiago', '2026-09-06T12:00Z')).toEqual(['2027-09-05T04:00']);
  });

  test('is one time, though the clock skips several times that the expression names', () => {
    expect(next('*/20 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:00',
    ]);
  });

  test('that the clock shows twice is the first of both', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  test('of every hour comes each hour, also when the clock is changed', () => {
    expect(next('30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:30',
      '2026-03-29T02:30',
    ]);
    expect(next('30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ]);
  });

  test('is undefined if it is more than a year and a day away', () => {
    expect(next('0 0 29 2 *', undefined, '2026-03-28T12:00Z')).toEqual([]);
    expect(next('0 0 1 3 *', undefined, '2026-03-28T12:00Z')).toEqual(['2027-03-01T00:00']);
  });

  test.each([
    ['MON-SUN', '*'],
    ['FRI-MON', 'FRI,SAT,SUN,MON'],
    ['fri-mon/2', 'FRI,SUN'],
    ['SAT-SUN', '6,0'],
    ['5-1,3', '5,6,0,1,3'],
  ])('may have days of the week from %s', (range, list) => {
    const [given, expected] = [range, list].map((day) => next(`0 9 * * ${day}`, 'UTC', '2026-03-28T12:00Z', 20));
    expect(given).toEqual(expected);
  });

  test('may have months from November to February', () => {
    const expected = next('0 9 1 NOV,DEC,JAN,FEB *', 'UTC', '2026-03-28T12:00Z', 9);
    expect(next('0 9 1 NOV-FEB *', 'UTC', '2026-03-28T12:00Z', 9)).toEqual(expected);
  });

  test.each(['0 22-2 * * *', '0 0 * 13-2 *', '0 0 * * 9-1', '0 0 * * FRI-MON/0'])('does not exist for %s', (cron) => {
    expect(() => nextTimes({ cron }, 0, 1)).toThrow();
  });
});

// An independent implementation: it walks over the quarters of an hour, and asks Intl what the clock shows.

interface Shown {
  readonly minute: number;
  readonly hour: number;
  readonly date: number;
  readonly month: number;
  readonly day: number;
}

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

const expressions: readonly (readonly [cron: string, matches: (shown: Shown) => boolean])[] = [
  ['0 0 * * *', ({ hour, minute }) => hour === 0 && minute === 0],
  ['30 2 * * *', ({ hour, minute }) => hour === 2 && minute === 30],
  ['*/15 0-3 * * *', ({ hour }) => hour < 4],
  ['15 1 * * FRI-MON', ({ hour, minute, day }) => hour === 1 && minute === 15 && [5, 6, 0, 1].includes(day)],
  ['0 0 * * SUN', ({ hour, minute, day }) => hour === 0 && minute === 0 && day === 0],
  [
    '45 23 1-10 3,4,9,10 *',
    (at) => at.hour === 23 && at.minute === 45 && at.date < 11 && [3, 4, 9, 10].includes(at.month),
  ],
  ['15 * * * *', ({ minute }) => minute === 15],
];

function clockOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  return (ms) => {
    const [date = 0, month = 1, year = 0, hour = 0, minute = 0] = format.format(ms).split(/\D+/).map(Number);
    return Date.UTC(year, month - 1, date, hour, minute);
  };
}

function shownAt(reading: number): Shown {
  const utc = new Date(reading);
  const [minute, hour, date] = [utc.getUTCMinutes(), utc.getUTCHours(), utc.getUTCDate()];
  return { minute, hour, date, month: utc.getUTCMonth() + 1, day: utc.getUTCDay() };
}

/** The times of each expression after a time and until another one. */
function walked(timeZone: string, fromMs: number, toMs: number): number[][] {
  const clock = clockOf(timeZone);
  const times: number[][] = expressions.map(() => []);
  let reached = clock(fromMs);
  // Before the walk the clock may have shown later times, before it was set back.
  for (let ms = fromMs - DAY_MS; ms < fromMs; ms += QUARTER_MS) reached = Math.max(reached, clock(ms));
  for (let ms = fromMs + QUARTER_MS; ms <= toMs; ms += QUARTER_MS) {
    const reading = clock(ms);
    const passed: Shown[] = [];
    for (let at = reached + QUARTER_MS; at <= reading; at += QUARTER_MS) passed.push(shownAt(at));
    const shown = shownAt(reading);
    for (const [i, [cron, matches]] of expressions.entries())
      if (cron.split(' ')[1] === '*' ? matches(shown) : passed.some(matches)) times[i]?.push(ms);
    reached = Math.max(reached, reading);
  }
  return times;
}

const PER_CALL = 20;

function computed(timeZone: string, fromMs: number, toMs: number): number[][] {
  return expressions.map(([cron]) => {
    const times: number[] = [];
    for (let lastMs = fromMs; ; ) {
      const some = nextTimes({ cron, timeZone }, lastMs, PER_CALL).filter((ms) => ms <= toMs);
      times.push(...some);
      if (some.length < PER_CALL) return times;
      lastMs = some.at(-1) ?? toMs;
    }
  });
}

/** Days of the ten years on which the clock is changed. */
function daysOfChange(timeZone: string): number[] {
  const clock = clockOf(timeZone);
  const days: number[] = [];
  for (let ms = firstMs; ms < lastMs; ms += DAY_MS) if (clock(ms + DAY_MS) - clock(ms) !== DAY_MS) days.push(ms);
  return days;
}

const [firstMs, lastMs] = [Date.UTC(2025, 0, 1), Date.UTC(2035, 0, 1)];
/** `true`: all time zones. It takes a minute and a half. Between two changes, all zones are alike. */
const isLong = process.env.ALL_TIME_ZONES === 'true';
const zones = isLong
  ? Intl.supportedValuesOf('timeZone')
  : 'Atlantic/Azores America/Santiago America/Havana Australia/Lord_Howe Africa/Casablanca Antarctica/Troll Asia/Gaza'.split(
      ' ',
    );

test(`Times around each change of a clock in ten years are those of a walk over the hours, in ${zones.length} zones`, () => {
  let count = 0;
  for (const timeZone of zones) {
    const days = daysOfChange(timeZone);
    for (const day of isLong ? days : days.slice(0, 4)) {
      const [fromMs, toMs] = [day - DAY_MS, day + 2 * DAY_MS];
      const expected = walked(timeZone, fromMs, toMs);
      expect([timeZone, computed(timeZone, fromMs, toMs)]).toEqual([timeZone, expected]);
      count += expected.flat().length;
    }
  }
  expect(count).toBeGreaterThan(1_000);
});
