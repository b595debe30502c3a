import { TurnMisuseError } from '../port/turn-errors.ts';

/** Milliseconds, or a text of numbers with units: `'90 s'`, `'2 hours'`, `'1 h 30 min'`, `'3 days'`. */
export type Duration = number | string;

const day = 86_400_000;
/** Of each unit, besides its plural. A month or year has no fixed length: use `sleepUntil`. */
const units: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: day,
  day,
  w: 7 * day,
  week: 7 * day,
};
const longest = 36_500 * day;

/** @throws {TurnMisuseError} */
export function msOf(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : parsed(duration);
  if (ms !== undefined && ms >= 0 && ms <= longest) return Math.ceil(ms);
  const given = typeof duration === 'number' ? duration : JSON.stringify(duration);
  throw new TurnMisuseError(
    `${given} is no duration from 0 to 100 years: give milliseconds, or a text such as "90 s", "2 hours" or "3 days".`,
  );
}

function parsed(text: string): number | undefined {
  if (text.length > 100) return undefined;
  const parts = [...text.matchAll(/(?<![\d.])(\d+(?:\.\d+)?) ?([a-z]+)/g)];
  if (parts.length === 0 || text.replace(/(?<![\d.])(\d+(?:\.\d+)?) ?([a-z]+)/g, '').trim() !== '') return undefined;
  return parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (unitMs(unit) ?? Number.NaN), 0);
}

const unitMs = (unit: string): number | undefined => units[unit] ?? units[unit.replace(/s$/, '')];
