import { type Options, type Typed, type ValuesOf, valuesOf } from '../../options.ts';
import { type CommonDefaults, type CommonOptions, commonOptions } from '../options.ts';
import type { Findings } from './findings.ts';
import type { Load } from './load.ts';

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
  /** A binding in which polls can say which version they know is preferred. */
  readonly wantsVersions?: boolean;
  /** What cannot be meant, though each option by itself can. */
  contradictions?(common: CommonOptions, own: ValuesOf<O>): string[];
  run(load: Load, own: ValuesOf<O>): Promise<Findings>;
}

/** A profile that knows its options. */
export interface PlannedRun {
  readonly profile: Pick<Profile, 'name' | 'summary'>;
  readonly options: CommonOptions;
  readonly own: Readonly<Record<string, unknown>>;
  readonly canWarmUp: boolean;
  readonly wantsVersions: boolean;
  primary(isOwnAgent: boolean): string;
  run(load: Load): Promise<Findings>;
}

export interface Profile {
  readonly name: string;
  readonly summary: string;
  readonly commonOptions: Options;
  readonly ownOptions: Options;
  /** @returns the run, or in words all that is wrong with the options */
  plan(given: Typed['options']): PlannedRun | readonly string[];
}

export function defineProfile<O extends Options>(parts: ProfileParts<O>): Profile {
  const { name, summary, canWarmUp, wantsVersions = false } = parts;
  const common = commonOptions(parts.defaults);
  return {
    name,
    summary,
    commonOptions: common,
    ownOptions: parts.options,
    plan(given) {
      const [options, own] = [valuesOf(common, given), valuesOf(parts.options, given)];
      if (isProblems(options) || isProblems(own)) return [options, own].filter(isProblems).flat();
      const contradictions = parts.contradictions?.(options, own) ?? [];
      if (contradictions.length > 0) return contradictions;
      return {
        profile: { name, summary },
        options,
        own,
        canWarmUp,
        wantsVersions,
        primary: (isOwnAgent) => parts.primary(own, isOwnAgent),
        run: (load) => parts.run(load, own),
      };
    },
  };
}

const isProblems = (values: object): values is readonly string[] => Array.isArray(values);
