import { z } from 'zod';
import { type CommonDefaults, type CommonOptions, commonOptions } from '../options/common-options.ts';
import { flagOf } from '../options/words.ts';
import type { Findings } from './findings.ts';
import type { Load } from './load.ts';

/** Options as they were typed, by field. */
export type OptionTexts = Readonly<Record<string, unknown>>;

interface ProfileParts<Shape extends z.ZodRawShape> {
  readonly name: string;
  /** A few words for `--help`. */
  readonly summary: string;
  readonly defaults: CommonDefaults;
  /** Options that no other profile has, or has otherwise. */
  readonly options: Shape;
  /** The operation, or another duration, whose latency is that of the run. */
  primary(own: z.output<z.ZodObject<Shape>>, isOwnAgent: boolean): string;
  /** A short run of it makes a server warm. */
  readonly canWarmUp: boolean;
  /** A binding in which polls can say which version they know is preferred. */
  readonly wantsVersions?: boolean;
  /** What cannot be meant, though each option by itself can. */
  contradictions?(common: CommonOptions, own: z.output<z.ZodObject<Shape>>): string[];
  run(load: Load, own: z.output<z.ZodObject<Shape>>): Promise<Findings>;
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
  readonly commonOptions: z.ZodObject;
  readonly ownOptions: z.ZodObject;
  /** @returns the run, or in words all that is wrong with the options */
  plan(texts: OptionTexts): PlannedRun | readonly string[];
}

export function defineProfile<Shape extends z.ZodRawShape>(parts: ProfileParts<Shape>): Profile {
  const { name, summary, canWarmUp, wantsVersions = false } = parts;
  const commonSchema = commonOptions(parts.defaults);
  const ownSchema = z.object(parts.options);
  return {
    name,
    summary,
    commonOptions: commonSchema,
    ownOptions: ownSchema,
    plan(texts) {
      const [common, own] = [commonSchema.safeParse(texts), ownSchema.safeParse(texts)];
      const problems = [...wordsFor(common, texts), ...wordsFor(own, texts)];
      if (!common.success || !own.success) return problems;
      const contradictions = parts.contradictions?.(common.data, own.data) ?? [];
      if (contradictions.length > 0) return contradictions;
      return {
        profile: { name, summary },
        options: common.data,
        own: own.data,
        canWarmUp,
        wantsVersions,
        primary: (isOwnAgent) => parts.primary(own.data, isOwnAgent),
        run: (load) => parts.run(load, own.data),
      };
    },
  };
}

function wordsFor({ error }: z.ZodSafeParseResult<unknown>, texts: OptionTexts): string[] {
  return (error?.issues ?? []).map(({ path, message }) => {
    const field = String(path[0]);
    const given = texts[field];
    return typeof given === 'string' ? `--${flagOf(field)} ${given}: ${message}` : `--${flagOf(field)} needs a value`;
  });
}
