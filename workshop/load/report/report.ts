import type { GeneratorReading } from '../measure/generator-watch.ts';
import type { LatencySummary } from '../measure/latencies.ts';
import type { ErrorCount, Interval, Recorder } from '../measure/recorder.ts';
import type { TaskCounts } from '../measure/task-ledger.ts';
import type { Findings, PlannedRun } from '../profiles/profile.ts';
import type { FoundAgent } from '../target/target.ts';
import { judge, type Verdict } from './verdict.ts';

export interface OperationReport {
  readonly name: string;
  /** 0: a duration that is not that of a request. */
  readonly requests: number;
  readonly errors: number;
  /** In milliseconds, from when the request was due. */
  readonly latency: LatencySummary | undefined;
}

/** Everything that is known of a run; report.json is this. Times without a unit in their name are milliseconds. */
export interface Report extends Findings {
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
  readonly beganAt: string;
  readonly seconds: number;
  /** Somebody ended it before its time. */
  readonly isCutShort: boolean;
  readonly verdict: Verdict;
  readonly offered: number;
  readonly requests: number;
  /** Per second, over the run. */
  readonly requestsPerSecond: number;
  readonly events: number;
  readonly errorCount: number;
  readonly errors: readonly ErrorCount[];
  readonly tasks: TaskCounts;
  /** Accepted before the figures began to count; they are in the target's books, too. */
  readonly warmUpTasks: number;
  /** Whose latency is that of the run. */
  readonly primary: string;
  readonly operations: readonly OperationReport[];
  readonly intervals: readonly Interval[];
  readonly generator: GeneratorReading;
  /** Share of one processor that each part of an own gateway used. */
  readonly cpuShares: Readonly<Record<string, number>>;
}

export interface Measured {
  readonly plan: PlannedRun;
  readonly agent: FoundAgent;
  readonly recorder: Recorder;
  readonly tasks: TaskCounts;
  readonly warmUpTasks: number;
  readonly findings: Findings;
  readonly generator: GeneratorReading;
  readonly cpuShares: Readonly<Record<string, number>>;
  readonly beganAt: Date;
  readonly seconds: number;
  readonly isCutShort: boolean;
}

export function toReport({ plan, agent, recorder, findings, ...measured }: Measured): Report {
  const { requests, offered, events, errors, primary, intervals } = recorder;
  const { beganAt, seconds, ...rest } = measured;
  return {
    version: 1,
    profile: plan.profile.name,
    summary: plan.profile.summary,
    target: {
      url: plan.options.url?.href,
      agent: agent.name,
      endpoint: agent.endpoint.href,
      binding: agent.binding,
    },
    options: shown(plan),
    beganAt: beganAt.toISOString(),
    seconds,
    verdict: judge({ requests, errors: errors.total, findings, most: plan.options.maxErrorRateShare }),
    offered,
    requests,
    requestsPerSecond: requests / Math.max(seconds, 0.001),
    events,
    errorCount: errors.total,
    errors: errors.list(),
    primary,
    operations: operationsOf(recorder),
    intervals,
    ...findings,
    ...rest,
  };
}

function operationsOf({ operations }: Recorder): OperationReport[] {
  return Array.from(operations, ([name, { requests, errors, latencies }]) => ({
    name,
    requests,
    errors,
    latency: latencies.summary(),
  }));
}

/** Without what is nobody else's business. */
function shown({ options, own }: PlannedRun): Record<string, unknown> {
  const { apiKey: _, bearer: __, url: ___, out: ____, ...others } = options;
  return { ...others, ...own };
}
