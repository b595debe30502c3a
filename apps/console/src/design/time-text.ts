const steps = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
] as const;

/** `840 ms`, `4.2 s`, `3 m 20 s`, `2 h 5 m`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const at = steps.findIndex(([least]) => ms >= least);
  const [size, unit] = steps[at] ?? [60_000, 'm'];
  const [smaller, smallerUnit] = steps[at + 1] ?? [1_000, 's'];
  const rest = Math.floor((ms % size) / smaller);
  return `${Math.floor(ms / size)} ${unit}${rest > 0 ? ` ${rest} ${smallerUnit}` : ''}`;
}

/** `now`, `12 s`, `3 m`, `5 h`, `2 d`: for columns of tables. */
export function agoText(at: string, fromMs: number): string {
  const ms = fromMs - Date.parse(at);
  if (Number.isNaN(ms)) return '';
  if (ms < 1_000) return 'now';
  const [size, unit] = steps.find(([least]) => ms >= least) ?? [1_000, 's'];
  return `${Math.floor(ms / size)} ${unit}`;
}

/** All times are written one way, in the language of the page and the time zone of the browser. */
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const hour = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

/** `23 Nov 2026, 23:31:04` */
export function fullTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : full.format(time);
}

/** `23:31:04` */
export function clockTime(at: string | number): string {
  return clock.format(new Date(at));
}

/** `23:31` */
export function hourText(at: number): string {
  return hour.format(new Date(at));
}
