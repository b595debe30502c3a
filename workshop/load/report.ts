import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { count, ms, percent, rate, textTable } from '../tables.ts';
import type { GeneratorReading } from './open-model.ts';
import type { Findings, PlannedRun } from './profile.ts';
import type { Interval, Recorder, TaskCounts } from './recorder.ts';
import type { FoundAgent } from './target.ts';

/** The results of a run. */
interface Measured {
  readonly plan: PlannedRun;
  readonly agent: FoundAgent;
  readonly recorder: Recorder;
  readonly findings: Findings;
  readonly tasks: TaskCounts;
  /** Accepted in the warm-up; the target has counted them, too. */
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

/**
 * Decides the exit code, and says why. A ramp passes when a rate held: errors beyond its limit are expected.
 */
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
  const tables = tablesOf(report).map(([title, head, rows]) => rows.length > 0 && `${title}\n${textTable(head, rows)}`);
  const end = `${verdict.passed ? 'passed' : 'FAILED'}: ${verdict.because}`;
  return [headline(report), ...tables, ...remarksOn(report), end].filter((one) => one !== false).join('\n\n');
}

type Table = readonly [title: string, head: readonly string[], rows: readonly (readonly string[])[]];

function tablesOf({ operations, ramp, errors, generator, cpuShares, ...report }: Report): Table[] {
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
  const processors = [
    ['this generator', percent(generator.cpuShare), percent(generator.mostCpuShare)],
    ...Object.entries(cpuShares).map(([name, share]) => [name, percent(share), '']),
  ];
  return [
    [
      'Latency, from when a request was due',
      ['', 'requests', 'errors', 'p50', 'p90', 'p99', 'p99.9', 'max'],
      latencies,
    ],
    [
      'Rates, in the order in which they were tried',
      ['rate', 'verdict', 'p50', 'p99', 'answers', 'errors'],
      rates ?? [],
    ],
    ['Tasks', ['', ''], taskRows(report)],
    ['Streams', ['', ''], streamRows(report)],
    ['Errors', ['', 'times', 'the first one'], kinds],
    ['Processors used (100 % is a whole one)', ['', 'over the run', 'busiest second'], processors],
  ];
}

function taskRows({ tasks, warmUpTasks }: Pick<Report, 'tasks' | 'warmUpTasks'>): string[][] {
  const rows = {
    accepted: tasks.accepted,
    completed: tasks.completed,
    failed: tasks.failed,
    'waiting for their client': tasks.waiting,
    'not finished': tasks.unfinished,
    'answers without a task': tasks.messages,
    'accepted before, to warm up': warmUpTasks,
  };
  const shown = Object.entries(rows).filter(([what, value]) => value > 0 || ['accepted', 'completed'].includes(what));
  return shown.map(([what, value]) => [what, count(value)]);
}

function streamRows({ streams, events, seconds }: Pick<Report, 'streams' | 'events' | 'seconds'>): string[][] {
  if (!streams) return [];
  const { checked, holes, doubles, left } = streams;
  return [
    ['opened', count(streams.opened)],
    ['open at the same time', count(streams.most)],
    ['ended by the server', count(streams.ended)],
    ...(left > 0 ? [['left at the end', count(left)]] : []),
    ['events', `${count(events)}, ${rate(events / seconds)}`],
    ['order of the events', checked === 0 ? 'none has a number' : `${count(holes)} holes, ${count(doubles)} doubles`],
  ];
}

function headline(report: Report): string {
  const { profile, target, seconds, requestsPerSecond, streams: found, events, isCutShort } = report;
  const time = `${seconds.toFixed(1)} s${isCutShort ? ', cut short' : ''}`;
  const what = found ? `${rate(events / seconds)} events received` : `${rate(requestsPerSecond)} requests answered`;
  return `${profile} on ${target.url ?? 'a gateway of its own'} (${target.agent}, ${target.binding}): ${time}, ${what}`;
}

/** Reasons to doubt the figures. */
function remarksOn({ generator, options, ramp, tasks: { unfinished } }: Report): (string | false)[] {
  const { bottleneck, connectionWaitP99: wait } = generator;
  return [
    bottleneck.length > 0 &&
      `The generator itself could not keep up: ${bottleneck.join(', ')}. The target may be better than these figures.`,
    wait >= 1 &&
      `Requests waited up to ${ms(wait)} (p99) for one of ${options.connections} connections; that is part of their latency.`,
    ramp !== undefined && rampInWords(ramp),
    unfinished > 0 && `Of ${unfinished} accepted tasks the end was not seen; a longer --settle would ask on.`,
  ];
}

function rampInWords({ highestThatHeld, lowestThatDidNot, maxLatencyMs }: NonNullable<Report['ramp']>): string {
  const limit = `99 of 100 answers within ${ms(maxLatencyMs)}`;
  if (highestThatHeld === undefined)
    return `No rate held (${limit}). Begin lower (--rate), or allow more (--max-latency).`;
  if (lowestThatDidNot === undefined)
    return `${rate(highestThatHeld)} held (${limit}), and nothing higher was tried: a longer --duration or a higher --peak finds the limit.`;
  return `The highest rate that held is ${rate(highestThatHeld)} (${limit}); ${rate(lowestThatDidNot)} did not hold.`;
}
