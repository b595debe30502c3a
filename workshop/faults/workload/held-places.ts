import { readFile } from 'node:fs/promises';
import { limitsOf } from './scenario.ts';
import type { Violation } from './violations.ts';

/** A turn of an agent with limits made sure that it had its place, at a moment between two times by `machineMs`. */
export interface Confirmed {
  readonly agent: string;
  readonly group: string;
  /** One run of a turn: another attempt is another run. */
  readonly run: string;
  readonly askedMs: number;
  readonly knownMs: number;
}

/** What `holdPlace` noted. */
export async function readConfirmed(file: string): Promise<Confirmed[]> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return lines.map((line) => {
    const [agent = '', group = '', run = '', askedMs, knownMs] = line.split(' ');
    return { agent, group, run, askedMs: Number(askedMs), knownMs: Number(knownMs) };
  });
}

/**
 * Turns beyond the limits of their agents. A place that is lost does not come back, so a run had its place all the time
 * from its first confirmation to its last one. After that it may have lost it, as a frozen process does: until it
 * notices, it may go on for a moment beside its successor, but confirms nothing more. So no tolerance is needed.
 */
export function beyondLimits(confirmed: readonly Confirmed[]): Violation[] {
  return Object.entries(limitsOf).flatMap(([kind, { running, runningPerKey, startsPerMinute }]) => {
    const own = runsOf(confirmed.filter(({ agent }) => agent === `${kind}-agent`));
    const groups = runningPerKey === undefined ? [] : [...Map.groupBy(own, ({ group }) => group)];
    return [
      ...tooManyAtOnce(kind, own, running),
      ...groups.flatMap(([group, runs]) => tooManyAtOnce(`${kind}, ${group}`, runs, runningPerKey ?? 0)),
      ...(startsPerMinute === undefined ? [] : tooManyStarts(kind, own, { running, startsPerMinute })),
    ];
  });
}

interface Run {
  readonly group: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

function runsOf(confirmed: readonly Confirmed[]): Run[] {
  return [...Map.groupBy(confirmed, ({ run }) => run).values()].map((notes) => ({
    group: notes[0]?.group ?? '',
    fromMs: notes[0]?.knownMs ?? 0,
    untilMs: notes.at(-1)?.askedMs ?? 0,
  }));
}

const violation = (what: string): Violation => ({ kind: 'limits', what });

function tooManyAtOnce(name: string, runs: readonly Run[], limit: number): Violation[] {
  const changes = runs
    .filter(({ fromMs, untilMs }) => fromMs < untilMs)
    .flatMap(({ fromMs, untilMs }) => [
      { atMs: fromMs, by: 1 },
      { atMs: untilMs, by: -1 },
    ])
    // An end is before a begin in the same millisecond.
    .toSorted((a, b) => a.atMs - b.atMs || a.by - b.by);
  let count = 0;
  return changes.flatMap(({ atMs, by }): Violation[] => {
    count += by;
    return by > 0 && count > limit ? [violation(`${name}: ${count} turns at a time, at ${atMs}`)] : [];
  });
}

/** Unused starts are saved so long. */
const SAVED_MS = 1_000;

/** A start is seen late, but until then it has one of the places: so many more may be seen in any span of time. */
function tooManyStarts(
  name: string,
  runs: readonly Run[],
  { running, startsPerMinute }: { readonly running: number; readonly startsPerMinute: number },
): Violation[] {
  const starts = runs.map(({ fromMs }) => fromMs).toSorted((a, b) => a - b);
  const perMs = startsPerMinute / 60_000;
  const most = SAVED_MS * perMs + 1 + running;
  // Starts beyond the rate since any earlier start.
  let [excess, lastMs] = [0, Number.NEGATIVE_INFINITY];
  return starts.flatMap((atMs): Violation[] => {
    excess = Math.max(0, excess - (atMs - lastMs) * perMs) + 1;
    lastMs = atMs;
    return excess > most ? [violation(`${name}: ${excess.toFixed(1)} starts more than its rate, at ${atMs}`)] : [];
  });
}
