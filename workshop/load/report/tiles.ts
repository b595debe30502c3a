import { count, ms, rate } from './figures.ts';
import type { Report } from './report.ts';
import { percent } from './verdict.ts';

type Tile = readonly [what: string, value: string];

/** The few figures that are looked at first. */
export function tilesOf(report: Report): Tile[] {
  const { requests, errorCount, tasks } = report;
  return [
    ...aboutTheProfile(report),
    ['errors', requests === 0 ? '–' : percent(errorCount / requests)],
    ['tasks accepted', count(tasks.accepted)],
    ['completed', count(tasks.completed)],
  ];
}

function aboutTheProfile({ ramp, streams, ...report }: Report): Tile[] {
  const { operations, primary, events, seconds, requests, requestsPerSecond } = report;
  const atBest = ramp?.tried.findLast(({ rate: tried }) => tried === ramp.highestThatHeld);
  const latency = ramp ? atBest?.latency : operations.find(({ name }) => name === primary)?.latency;
  const percentiles: Tile[] = [
    [ramp ? 'p50 at that rate' : 'p50', ms(latency?.p50)],
    [ramp ? 'p99 at that rate' : 'p99', ms(latency?.p99)],
  ];
  if (ramp) return [['highest rate that held', atBest ? rate(atBest.rate) : 'none'], ...percentiles];
  if (streams) return [['streams at once', count(streams.most)], ['events', rate(events / seconds)], ...percentiles];
  return [['requests', count(requests)], ['answered', rate(requestsPerSecond)], ...percentiles];
}
