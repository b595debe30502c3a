import type { Interval } from '../measure/interval.ts';

/** As many points as a picture has room for. */
const SHOWN = 240;
/** What is shorter says nothing about a rate; in seconds. */
const SHORTEST = 0.25;

/** Intervals as a picture shows them, counts per second; those of a long run in groups, of which latencies are the worst. */
export function shownIntervals(all: readonly Interval[]): readonly Interval[] {
  const intervals = all.filter(({ lasted }) => lasted >= SHORTEST);
  const size = Math.max(1, Math.ceil(intervals.length / SHOWN));
  const groups = Array.from({ length: Math.ceil(intervals.length / size) }, (_, i) =>
    intervals.slice(i * size, (i + 1) * size),
  );
  return groups.map(one);
}

function one(group: readonly Interval[]): Interval {
  const lasted = group.reduce((sum, interval) => sum + interval.lasted, 0);
  const perSecond = (what: 'offered' | 'answered' | 'others' | 'events' | 'errors'): number =>
    group.reduce((sum, interval) => sum + interval[what], 0) / lasted;
  const worst = (what: 'p50' | 'p99' | 'max'): number | undefined => {
    const all = group.flatMap((interval) => interval[what] ?? []);
    return all.length === 0 ? undefined : Math.max(...all);
  };
  return {
    seconds: group.at(-1)?.seconds ?? 0,
    lasted,
    open: Math.max(...group.map(({ open }) => open)),
    offered: perSecond('offered'),
    answered: perSecond('answered'),
    others: perSecond('others'),
    events: perSecond('events'),
    errors: perSecond('errors'),
    p50: worst('p50'),
    p99: worst('p99'),
    max: worst('max'),
  };
}
