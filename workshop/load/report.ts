import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { count, ms, percent, rate, textTable } from '../tables.ts';
import type { GeneratorReading } from './open-model.ts';
import type { Findings, PlannedRun } from './profile.ts';
import type { Interval, Recorder, TaskCounts } from './recorder.ts';
import type { FoundAgent } from './target.ts';

/** What was measured, in the books and outside of them. */
interface Measured {
  readonly plan: PlannedRun;
  readonly agent: FoundAgent;
  readonly recorder: Recorder;
  readonly findings: Findings;
  readonly tasks: TaskCounts;
  /** Accepted before the figures began to count; they are in the target's books, too. */
  readonly warmUpTasks: number;
  readonly generator: GeneratorReading;
  /** Share of one processor that each part of an own gateway used. */
  readonly cpuShares: Readonly<Record<string, number>>;
  readonly beganAt: string;
  readonly seconds: number;
  /** The run was stopped early. */
  readonly isCutShort: boolean;
}

/** Everything that is known of a run; report.json is this. Times without a unit in their name are milliseconds. */
export type Report = ReturnType<typeof toReport>;

export function toReport({ plan, agent, recorder, findings, ...seen }: Measured) {
  const { requests, errors, primary, intervals, total, operations } = recorder;
  const { apiKey: _, bearer: __, url, out: ___, ...options } = plan.options;
  return {
    version: 1,
    profile: plan.profile.name,
    summary: plan.profile.summary,
    // Without a URL: a gateway of its own.
    target: { url: url?.href, agent: agent.name, endpoint: agent.endpoint.href, binding: agent.binding },
    options,
    verdict: judge(recorder, findings, options.maxErrorRateShare),
    offered: total.offered,
    requests,
    // Over the run.
    requestsPerSecond: requests / Math.max(seen.seconds, 0.001),
    events: total.events,
    errorCount: total.errors,
    errors,
    // Whose latency is that of the run.
    primary,
    // Latencies from when a request was due. Without requests: a duration that is not that of a request.
    operations: Array.from(operations, ([name, { latencies, ...counts }]) => ({
      name,
      ...counts,
      latency: latencies.summary(),
    })),
    intervals,
    ...findings,
    ...seen,
  };
}

/** Decides the exit code, and says in words what was asked and what came of it. A ramp passes when a rate held: errors beyond its limit are expected. */
function judge({ requests, total }: Recorder, { ramp }: Findings, most: number) {
  if (ramp) {
    const { highestThatHeld, lowestThatDidNot } = ramp;
    if (highestThatHeld === undefined) return { passed: false, because: 'not even the first rate held' };
    const limit = lowestThatDidNot === undefined ? 'the limit was not reached' : `${lowestThatDidNot}/s did not`;
    return { passed: true, because: `${highestThatHeld}/s held, ${limit}` };
  }
  if (requests === 0) return { passed: false, because: 'nothing was answered' };
  const rate = total.errors / requests;
  const passed = rate <= most;
  return { passed, because: `errors ${percent(rate)}, ${passed ? 'not more' : 'more'} than ${percent(most)}` };
}

/** report.json. @returns its path  @param folder unset: one of its own below .data/load */
export async function writeReport(report: Report, folder: string | undefined): Promise<string> {
  const stamp = report.beganAt.slice(0, 19).replaceAll(':', '-');
  const place = resolve(folder ?? join('.data', 'load', `${stamp}-${report.profile}`));
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
  return join(place, 'report.json');
}

/** How a run goes, in one second. @param of how long the run will take, in words */
export function progressLine(interval: Interval, of: string): string {
  const { seconds, offered, answered, others, events, errors, open, p50, p99 } = interval;
  const parts = [
    `${seconds.toFixed(0).padStart(3)} of ${of}`,
    `offered ${count(offered)}/s`,
    ...(answered + others > 0 || events === 0 ? [`answered ${count(answered + others)}/s`] : []),
    ...(events > 0 ? [`events ${count(events)}/s`] : []),
    `p50 ${ms(p50)}`,
    `p99 ${ms(p99)}`,
    `errors ${count(errors)}`,
    `open ${count(open)}`,
  ];
  return parts.join('  ');
}

/** The report as it is printed; tables without rows are left out. */
export function toText(report: Report): string {
  const { verdict } = report;
  const all = [latencies(report), ramp(report), tasks(report), streams(report), errors(report), processors(report)];
  const tables = all
    .filter(({ rows }) => rows.length > 0)
    .map(({ title, head = ['', ''], rows }) => `${title}\n${textTable(head, rows)}`);
  const end = `${verdict.passed ? 'passed' : 'FAILED'}: ${verdict.because}`;
  return [headline(report), ...tables, ...remarksOn(report), end].join('\n\n');
}

interface Table {
  readonly title: string;
  /** Unset: two columns without names. */
  readonly head?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function latencies({ operations }: Report): Table {
  return {
    title: 'Latency, from when a request was due',
    head: ['', 'requests', 'errors', 'p50', 'p90', 'p99', 'p99.9', 'max'],
    rows: operations.map(({ name, requests, errors: failed, latency }) => [
      name,
      ...(requests === 0 ? ['', ''] : [count(requests), count(failed)]),
      ...(['p50', 'p90', 'p99', 'p999', 'max'] as const).map((which) => ms(latency?.[which])),
    ]),
  };
}

function ramp({ ramp: found }: Report): Table {
  return {
    title: 'Rates, in the order in which they were tried',
    head: ['rate', 'verdict', 'p50', 'p99', 'answers', 'errors'],
    rows: (found?.tried ?? []).map((tried) => [
      rate(tried.rate),
      tried.held ? 'held' : `did not: ${tried.because}`,
      ms(tried.latency?.p50),
      ms(tried.latency?.p99),
      count(tried.requests),
      count(tried.errors),
    ]),
  };
}

function tasks({ tasks: found, warmUpTasks }: Report): Table {
  const more = {
    failed: found.failed,
    'waiting for their client': found.waiting,
    'not finished': found.unfinished,
    'answers without a task': found.messages,
    'accepted before, to warm up': warmUpTasks,
  };
  const rows = Object.entries(more).filter(([, value]) => value > 0);
  const always = Object.entries({ accepted: found.accepted, completed: found.completed });
  return { title: 'Tasks', rows: [...always, ...rows].map(([what, value]) => [what, count(value)]) };
}

function streams({ streams: found, events, seconds }: Report): Table {
  if (!found) return { title: '', rows: [] };
  const ids =
    found.checked === 0 ? 'none has a number' : `${count(found.holes)} holes, ${count(found.doubles)} doubles`;
  return {
    title: 'Streams',
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
  const shortened = (text: string): string => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
  return {
    title: 'Errors',
    head: ['', 'times', 'the first one'],
    rows: found.map(({ kind, count: times, example }) => [
      kind,
      count(times),
      example === kind ? '' : shortened(example),
    ]),
  };
}

function processors({ generator, cpuShares }: Report): Table {
  return {
    title: 'Processors used (100 % is a whole one)',
    head: ['', 'over the run', 'busiest second'],
    rows: [
      ['this generator', percent(generator.cpuShare), percent(generator.mostCpuShare)],
      ...Object.entries(cpuShares).map(([name, share]) => [name, percent(share), '']),
    ],
  };
}

function headline(report: Report): string {
  const { profile, target, seconds, requestsPerSecond, streams: found, events, isCutShort } = report;
  const time = `${seconds.toFixed(1)} s${isCutShort ? ', cut short' : ''}`;
  const what = found ? `${rate(events / seconds)} events received` : `${rate(requestsPerSecond)} requests answered`;
  return `${profile} on ${target.url ?? 'a gateway of its own'} (${target.agent}, ${target.binding}): ${time}, ${what}`;
}

/** What is to be known before the figures are believed. */
function remarksOn({ generator, options, ramp: found, tasks: { unfinished } }: Report): string[] {
  const { bottleneck, connectionWaitP99 } = generator;
  return [
    bottleneck.length > 0 &&
      `The generator itself could not keep up: ${bottleneck.join(', ')}. The target may be better than these figures.`,
    connectionWaitP99 >= 1 &&
      `Requests waited up to ${ms(connectionWaitP99)} (p99) for one of ${options.connections} connections; that is part of their latency.`,
    found && rampInWords(found),
    unfinished > 0 && `Of ${unfinished} accepted tasks the end was not seen; a longer --settle would ask on.`,
  ].filter((remark) => typeof remark === 'string');
}

function rampInWords({ highestThatHeld, lowestThatDidNot, maxLatencyMs }: NonNullable<Report['ramp']>): string {
  const limit = `99 of 100 answers within ${ms(maxLatencyMs)}`;
  if (highestThatHeld === undefined)
    return `No rate held (${limit}). Begin lower (--rate), or allow more (--max-latency).`;
  if (lowestThatDidNot === undefined)
    return `${rate(highestThatHeld)} held (${limit}), and nothing higher was tried: a longer --duration or a higher --peak finds the limit.`;
  return `The highest rate that held is ${rate(highestThatHeld)} (${limit}); ${rate(lowestThatDidNot)} did not hold.`;
}
