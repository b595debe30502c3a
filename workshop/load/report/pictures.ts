import { type Axis, exactAxis, linearAxis, spreadAxis } from '../../bench/charts/axis.ts';
import { type LineChart, lineChart, type Point, type Series } from '../../bench/charts/line-chart.ts';
import type { Interval } from '../measure/interval.ts';
import { ms } from './figures.ts';
import type { Report } from './report.ts';
import { shownIntervals } from './shown-intervals.ts';

/** The pictures of a run, as SVG. */
export function picturesOf(report: Report): string[] {
  const charts = [latencyOverTime(report), throughputOverTime(report), percentileCurve(report), latencyByRate(report)];
  return charts.filter((chart) => chart !== undefined).map(lineChart);
}

function latencyOverTime({ intervals, primary, ramp }: Report): LineChart {
  const shown = shownIntervals(intervals);
  const series = (['p50', 'p99', 'max'] as const).map((name) => curve(name, shown, (interval) => interval[name]));
  return {
    title: `Latency over time: ${primary}`,
    x: secondsAxis(shown),
    y: spreadAxis('milliseconds', heights(series)),
    series,
    ...(ramp && { limit: { at: ramp.maxLatencyMs, name: `limit of p99: ${ms(ramp.maxLatencyMs)}` } }),
  };
}

function throughputOverTime({ intervals, primary, streams, operations, errorCount }: Report): LineChart {
  const shown = shownIntervals(intervals);
  const hasOthers = operations.some(({ name, requests }) => name !== primary && requests > 0);
  const series: Series[] = streams
    ? [curve('events', shown, ({ events }) => events), curve('open streams', shown, ({ open }) => open)]
    : [
        curve(primary, shown, ({ answered }) => answered),
        ...(hasOthers ? [curve('other requests', shown, ({ others }) => others)] : []),
        { ...curve('offered', shown, ({ offered }) => offered), look: 'meant' },
      ];
  if (errorCount > 0) series.push({ ...curve('errors', shown, ({ errors }) => errors), look: 'wrong' });
  const title = streams ? 'Events and streams over time' : 'Throughput over time';
  const unit = streams ? 'events per second, streams' : 'per second';
  return { title, x: secondsAxis(shown), y: linearAxis(unit, heights(series)), series };
}

/** The share of answers that were slower becomes ten times smaller from mark to mark. */
function percentileCurve({ percentiles, primary }: Report): LineChart | undefined {
  const points = percentiles.map(([percentile, value]): Point => [nines(percentile), value]);
  if (points.length < 2) return undefined;
  const marks = [0, 50, 90, 99, 99.9, 99.99].map((percentile) => ({ at: nines(percentile), label: `${percentile} %` }));
  const max = Math.max(...points.map(([x]) => x));
  const x: Axis = {
    title: 'percentile: so many answers were at least as fast',
    min: 0,
    max,
    ticks: marks.filter(({ at }) => at <= max + 0.001),
    isLogarithmic: false,
  };
  const series = [{ name: primary, points }];
  return { title: 'Latency by percentile', x, y: spreadAxis('milliseconds', heights(series)), series };
}

function latencyByRate({ ramp }: Report): LineChart | undefined {
  const tried = (ramp?.tried ?? []).filter(({ latency }) => latency).toSorted((a, b) => a.rate - b.rate);
  if (!ramp || tried.length < 2) return undefined;
  const series = (['p50', 'p99'] as const).map((name) => ({
    name,
    points: tried.map(({ rate, latency }): Point => [rate, latency?.[name]]),
  }));
  const x = linearAxis(
    'offered per second',
    tried.map(({ rate }) => rate),
  );
  const limit = { at: ramp.maxLatencyMs, name: `limit of p99: ${ms(ramp.maxLatencyMs)}` };
  return { title: 'Latency by rate', x, y: spreadAxis('milliseconds', heights(series)), series, limit };
}

const nines = (percentile: number): number => Math.log10(100 / (100 - percentile));

function curve(name: string, intervals: readonly Interval[], height: (of: Interval) => number | undefined): Series {
  const middle = ({ seconds, lasted }: Interval): number => seconds - lasted / 2;
  return { name, points: intervals.map((interval): Point => [middle(interval), height(interval)]) };
}

function secondsAxis(intervals: readonly Interval[]): Axis {
  return exactAxis(
    'seconds since the start',
    intervals.map(({ seconds }) => seconds),
  );
}

function heights(series: readonly Series[]): number[] {
  return series.flatMap(({ points }) => points.flatMap(([, y]) => y ?? []));
}
