import type { PaceLimits } from '@switchyard/pace';
import { readJsonFile } from '@switchyard/settings';
import { z } from 'zod';

const perMinute = z.number().positive().max(1e12);
const fileSchema = z.record(
  z.string().regex(/^[^*]+\*?$/, 'a name, or the beginning of names and "*"'),
  z.strictObject({
    requestsPerMinute: perMinute.optional(),
    tokensPerMinute: perMinute.optional(),
    burstMs: z.int().min(0).max(60_000).optional(),
  }),
);

export type LimitsFile = z.input<typeof fileSchema>;

/** Requests and tokens per minute by name, such as `api.openai.com/gpt-5-mini` or `api.openai.com/*`. */
export class ModelLimits {
  readonly #byName: ReadonlyMap<string, PaceLimits>;
  /** Names that end with `*`, without it, the longest first. */
  readonly #beginnings: readonly string[];

  constructor(file: LimitsFile = {}) {
    const limits = Object.entries(fileSchema.parse(file));
    this.#byName = new Map(limits);
    this.#beginnings = limits
      .filter(([name]) => name.endsWith('*'))
      .map(([name]) => name.slice(0, -1))
      .sort((a, b) => b.length - a.length);
  }

  /** @throws {Error} naming every field of the file that is wrong */
  static read(path: string): ModelLimits {
    const result = fileSchema.safeParse(readJsonFile(path));
    if (!result.success) throw new Error(`the file has no limits of models: ${z.prettifyError(result.error)}`);
    return new ModelLimits(result.data);
  }

  /** Those of the name, or of its longest beginning; each name has them for itself. */
  of(name: string): PaceLimits {
    const beginning = this.#beginnings.find((text) => name.startsWith(text));
    return this.#byName.get(name) ?? this.#byName.get(`${beginning}*`) ?? {};
  }
}
