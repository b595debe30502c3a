import { count, ms, rate } from './figures.ts';
import type { Report } from './report.ts';
import { percent } from './verdict.ts';

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What terminal and page both show; tables without rows are left out. */
export function tablesOf(report: Report): Table[] {
  return [latencies(report), ramp(report), tasks(report), streams(report), errors(report), processes(report)].filter(
    ({ rows }) => rows.length > 0,
  );
}

function latencies({ operations }: Report): Table {
  return {
    title: 'Latency, from when a request was due',
    head: ['', 'requests', 'errors', 'p50', 'p90', 'p99', 'p99.9', 'max'],
    rows: operations.map(({ name, requests, errors, latency }) => [
      name,
      requests === 0 ? '' : count(requests),
      requests === 0 ? '' : count(errors),
      ...(['p50', 'p90', 'p99', 'p999', 'max'] as const).map((which) => ms(latency?.[which])),
    ]),
  };
}

function ramp({ ramp: found }: Report): Table {
  const rows = (found?.tried ?? []).map((tried) => [
    rate(tried.rate),
    tried.held ? 'held' : `did not: ${tried.because}`,
    ms(tried.latency?.p50),
    ms(tried.latency?.p99),
    count(tried.requests),
    count(tried.errors),
  ]);
  return {
    title: 'Rates, in the order in which they were tried',
    head: ['rate', 'verdict', 'p50', 'p99', 'answers', 'errors'],
    rows,
  };
}

function tasks({ tasks: found, warmUpTasks }: Report): Table {
  const { accepted, completed, failed, waiting, unfinished, messages } = found;
  const more = {
    failed,
    'waiting for their client': waiting,
    'not finished': unfinished,
    'answers without a task': messages,
  };
  const rows = Object.entries(more).filter(([, value]) => value > 0);
  return {
    title: 'Tasks',
    head: ['', ''],
    rows: [
      ['accepted', count(accepted)],
      ['completed', count(completed)],
      ...rows.map(([what, value]) => [what, count(value)]),
      ...(warmUpTasks > 0 ? [['accepted before, to warm up', count(warmUpTasks)]] : []),
    ],
  };
}

function streams({ streams: found, events, seconds }: Report): Table {
  if (!found) return { title: '', head: [], rows: [] };
  const ids =
    found.checked === 0 ? 'none has a number' : `${count(found.holes)} holes, ${count(found.doubles)} doubles`;
  return {
    title: 'Streams',
    head: ['', ''],
    rows: [
      ['opened', count(found.opened)],
      ['open at the same time', count(found.most)],
      ['ended by the server', count(found.ended)],
      ...(found.left > 0 ? [['left at the end', count(found.left)]] : []),
      ['events', `${count(events)}, ${rate(events / seconds)}`],
      ['order of the events', ids],
    ],
  };
}

function errors({ errors: found }: Report): Table {
  const rows = found.map(({ kind, count: times, example }) => [
    kind,
    count(times),
    example === kind ? '' : shortened(example),
  ]);
  return { title: 'Errors', head: ['', 'times', 'the first one'], rows };
}

function processes({ generator, cpuShares }: Report): Table {
  return {
    title: 'Processors used (100 % is a whole one)',
    head: ['', 'over the run', 'busiest second'],
    rows: [
      ['this generator', percent(generator.cpuShare), percent(generator.mostCpuShare)],
      ...Object.entries(cpuShares).map(([name, share]) => [name, percent(share), '']),
    ],
  };
}

function shortened(text: string): string {
  return text.length > 90 ? `${text.slice(0, 89)}…` : text;
}
