import { type Options, type Typed, type ValuesOf, valuesOf } from '../../options.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { A2AClient } from '../client/a2a-client.ts';
import type { Connections } from '../client/connections.ts';
import type { Latencies, LatencySummary } from '../measure/latencies.ts';
import type { Recorder } from '../measure/recorder.ts';
import type { TaskLedger } from '../measure/task-ledger.ts';
import { type CommonDefaults, type CommonOptions, commonOptions } from './options.ts';

/** What a profile has to work with. */
export interface Load {
  readonly options: CommonOptions;
  /** The agent is load/agents/load.ts. */
  readonly isOwnAgent: boolean;
  readonly client: A2AClient;
  readonly connections: Connections;
  readonly recorder: Recorder;
  readonly tasks: TaskLedger;
  readonly random: SeededRandom;
  /** How late arrivals were begun. */
  readonly lateness: Latencies;
  /** Aborts when nothing new may begin: the time is over, or the run was stopped. */
  readonly over: AbortSignal;
  /** Aborts `settleMs` later, until when clients may still read their tasks. */
  readonly settled: AbortSignal;
  /** Aborts when nothing is to be waited for any more. */
  readonly halted: AbortSignal;
}

/** One rate that was tried by the profile `ramp`. */
export interface TriedRate {
  readonly rate: number;
  readonly held: boolean;
  /** Why it did not; unset if it did. */
  readonly because: string | undefined;
  readonly latency: LatencySummary | undefined;
  readonly requests: number;
  readonly errors: number;
}

export interface RampFindings {
  readonly tried: readonly TriedRate[];
  /** Per second; undefined if not even the first one did. */
  readonly highestThatHeld: number | undefined;
  /** The lowest that did not: the limit is between the two. Undefined if it was not reached. */
  readonly lowestThatDidNot: number | undefined;
  readonly maxLatencyMs: number;
}

export interface StreamFindings {
  readonly opened: number;
  /** Open at the same time. */
  readonly most: number;
  /** Ended by the server, as they should. */
  readonly ended: number;
  /** Still open when the time was over. */
  readonly left: number;
  /** Events whose ids were compared with those before, and events without a number to compare. */
  readonly checked: number;
  readonly unchecked: number;
  readonly holes: number;
  readonly doubles: number;
}

/** What only some profiles find out. */
export interface Findings {
  readonly ramp?: RampFindings;
  readonly streams?: StreamFindings;
}

interface ProfileParts<O extends Options> {
  readonly name: string;
  /** A few words for `--help`. */
  readonly summary: string;
  readonly defaults: CommonDefaults;
  /** Options that no other profile has, or has otherwise. */
  readonly options: O;
  /** The operation, or another duration, whose latency is that of the run. */
  primary(own: ValuesOf<O>, isOwnAgent: boolean): string;
  /** A short run of it makes a server warm. */
  readonly canWarmUp: boolean;
  /** Prefers a binding in which polls can send a version. */
  readonly wantsVersions?: boolean;
  /** What cannot be meant, though each option by itself can. */
  contradictions?(common: CommonOptions, own: ValuesOf<O>): string[];
  run(load: Load, own: ValuesOf<O>): Promise<Findings>;
}

/** A profile that knows its options. */
export interface PlannedRun {
  readonly profile: Pick<Profile, 'name' | 'summary' | 'canWarmUp' | 'wantsVersions'>;
  readonly options: CommonOptions;
  readonly own: Readonly<Record<string, unknown>>;
  primary(isOwnAgent: boolean): string;
  run(load: Load): Promise<Findings>;
}

export interface Profile {
  readonly name: string;
  readonly summary: string;
  readonly canWarmUp: boolean;
  readonly wantsVersions: boolean;
  readonly commonOptions: Options;
  readonly ownOptions: Options;
  /** @returns the run, or in words all that is wrong with the options */
  plan(given: Typed['options']): PlannedRun | readonly string[];
}

export function defineProfile<O extends Options>(parts: ProfileParts<O>): Profile {
  const { name, summary, canWarmUp, wantsVersions = false } = parts;
  const profile = { name, summary, canWarmUp, wantsVersions };
  const common = commonOptions(parts.defaults);
  return {
    ...profile,
    commonOptions: common,
    ownOptions: parts.options,
    plan(given) {
      const [options, own] = [valuesOf(common, given), valuesOf(parts.options, given)];
      if (isProblems(options) || isProblems(own)) return [options, own].filter(isProblems).flat();
      const contradictions = parts.contradictions?.(options, own) ?? [];
      if (contradictions.length > 0) return contradictions;
      const primary = (isOwnAgent: boolean): string => parts.primary(own, isOwnAgent);
      return { profile, options, own, primary, run: (load) => parts.run(load, own) };
    },
  };
}

const isProblems = (values: object): values is readonly string[] => Array.isArray(values);
