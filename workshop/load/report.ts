import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { count, ms, percent, rate, textTable } from '../tables.ts';
import type { Interval } from './recorder.ts';
import type { Report } from './run-load.ts';

/** Writes report.json. @returns its path  @param folder default: a new one below .data/load */
export async function writeReport(report: Report, folder: string | undefined): Promise<string> {
  const stamp = report.beganAt.slice(0, 19).replaceAll(':', '-');
  const place = resolve(folder ?? join('.data', 'load', `${stamp}-${report.profile}`));
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
  return join(place, 'report.json');
}

/** The progress of a run in one second. @param of total duration of the run, in words */
export function progressLine(interval: Interval, of: string): string {
  const { seconds, offered, answered, events, errors, open, latency } = interval;
  const parts = [
    `${seconds.toFixed(0).padStart(3)} of ${of}`,
    `offered ${count(offered)}/s`,
    ...(answered > 0 || events === 0 ? [`answered ${count(answered)}/s`] : []),
    ...(events > 0 ? [`events ${count(events)}/s`] : []),
    `p50 ${ms(latency?.p50)}`,
    `p99 ${ms(latency?.p99)}`,
    `errors ${count(errors)}`,
    `open ${count(open)}`,
  ];
  return parts.join('  ');
}

/** The report as text, without empty tables. */
export function toText(report: Report): string {
  const { verdict, tasks } = report;
  const tables = tablesOf(report).map(([title, head, rows]) => rows.length > 0 && `${title}\n${textTable(head, rows)}`);
  const remark =
    tasks.unfinished > 0 &&
    `Of ${tasks.unfinished} accepted tasks the end was not seen; a longer --settle would ask on.`;
  const end = `${verdict.passed ? 'passed' : 'FAILED'}: ${verdict.because}`;
  return [headline(report), ...tables, remark, end].filter((one) => one !== false).join('\n\n');
}

type Table = readonly [title: string, head: readonly string[], rows: readonly (readonly string[])[]];

function tablesOf({ operations, ramp, errors, cpuShares, tasks, warmUpTasks, streams }: Report): Table[] {
  const latencies = operations.map(({ name, requests, errors: failed, latency }) => [
    name,
    ...(requests === 0 ? ['', ''] : [count(requests), count(failed)]),
    ...(['p50', 'p90', 'p99', 'p999', 'max'] as const).map((which) => ms(latency?.[which])),
  ]);
  const rates = ramp?.tried.map((tried) => [
    rate(tried.rate),
    tried.held ? 'held' : `did not: ${tried.because}`,
    ms(tried.latency?.p50),
    ms(tried.latency?.p99),
    count(tried.requests),
    count(tried.errors),
  ]);
  const kinds = errors.map(({ kind, count: times, example }) => {
    const shortened = example.length > 90 ? `${example.slice(0, 89)}…` : example;
    return [kind, count(times), example === kind ? '' : shortened];
  });
  const counts = (of: Readonly<Record<string, number>>): string[][] =>
    Object.entries(of).map(([what, value]) => [what, count(value)]);
  const shares = Object.entries(cpuShares).map(([name, share]) => [name, percent(share)]);
  const latencyHead = ['', 'requests', 'errors', 'p50', 'p90', 'p99', 'p99.9', 'max'];
  return [
    ['Latency, from when a request was due', latencyHead, latencies],
    ['Rates, in the order they were tried', ['rate', 'verdict', 'p50', 'p99', 'answers', 'errors'], rates ?? []],
    ['Tasks', ['', ''], counts({ ...tasks, 'accepted before, to warm up': warmUpTasks })],
    ['Streams, and the order of their events', ['', ''], counts(streams ?? {})],
    ['Errors', ['', 'times', 'the first one'], kinds],
    ['Processors used (100 % is a whole one)', ['', ''], shares],
  ];
}

function headline(report: Report): string {
  const { profile, target, seconds, requestsPerSecond, streams: found, events, isCutShort } = report;
  const time = `${seconds.toFixed(1)} s${isCutShort ? ', cut short' : ''}`;
  const what = found ? `${rate(events / seconds)} events received` : `${rate(requestsPerSecond)} requests answered`;
  return `${profile} on ${target.url ?? 'a gateway of its own'} (${target.agent}, ${target.binding}): ${time}, ${what}`;
}
