import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { percent } from '../../tables/figures.ts';
import type { GeneratorReading } from '../measure/generator-watch.ts';
import type { LatencySummary } from '../measure/latencies.ts';
import type { ErrorCount, Interval, Recorder } from '../measure/recorder.ts';
import type { TaskCounts } from '../measure/task-ledger.ts';
import type { Findings, PlannedRun } from '../profiles/profile.ts';
import type { FoundAgent } from '../target/find-agent.ts';

export interface OperationReport {
  readonly name: string;
  /** 0: a duration that is not that of a request. */
  readonly requests: number;
  readonly errors: number;
  /** In milliseconds, from when the request was due. */
  readonly latency: LatencySummary | undefined;
}

export interface Verdict {
  readonly passed: boolean;
  /** In words, what was asked and what came of it. */
  readonly because: string;
}

/** What is seen from outside of the books. */
interface Seen {
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
export interface Report extends Findings, Seen {
  readonly version: 1;
  readonly profile: string;
  readonly summary: string;
  readonly target: {
    /** Undefined: a gateway of its own. */
    readonly url: string | undefined;
    readonly agent: string;
    readonly endpoint: string;
    readonly binding: string;
  };
  readonly options: Readonly<Record<string, unknown>>;
  readonly verdict: Verdict;
  readonly offered: number;
  readonly requests: number;
  /** Per second, over the run. */
  readonly requestsPerSecond: number;
  readonly events: number;
  readonly errorCount: number;
  readonly errors: readonly ErrorCount[];
  /** Whose latency is that of the run. */
  readonly primary: string;
  readonly operations: readonly OperationReport[];
  readonly intervals: readonly Interval[];
}

export interface Measured extends Seen {
  readonly plan: PlannedRun;
  readonly agent: FoundAgent;
  readonly recorder: Recorder;
  readonly findings: Findings;
}

export function toReport({ plan, agent, recorder, findings, ...seen }: Measured): Report {
  const { requests, errors, primary, intervals, total, operations } = recorder;
  const { apiKey: _, bearer: __, url, out: ___, ...options } = plan.options;
  return {
    version: 1,
    profile: plan.profile.name,
    summary: plan.profile.summary,
    target: { url: url?.href, agent: agent.name, endpoint: agent.endpoint.href, binding: agent.binding },
    options: { ...options, ...plan.own },
    verdict: judge(recorder, findings, options.maxErrorRateShare),
    offered: total.offered,
    requests,
    requestsPerSecond: requests / Math.max(seen.seconds, 0.001),
    events: total.events,
    errorCount: total.errors,
    errors,
    primary,
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

/** Decides the exit code. A ramp passes when a rate held: errors beyond its limit are expected. */
function judge({ requests, total }: Recorder, { ramp }: Findings, most: number): Verdict {
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
