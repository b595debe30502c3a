import { z } from 'zod';

/** What `--help` says of an option. */
export interface OptionWords {
  /** Stands for the value: `<time>`. */
  readonly value: string;
  readonly what: string;
  /** As it would be typed. */
  readonly fallback?: string;
}

export const optionWords = z.registry<OptionWords>();

/** An option that may be left out. */
export function optional<T>(schema: z.ZodType<T, string>, words: OptionWords): z.ZodOptional<z.ZodType<T, string>> {
  const option = z.optional(schema);
  optionWords.add(option, words);
  return option;
}

/** An option that has a value when it is left out. */
export function withDefault<T>(
  schema: z.ZodType<T, string>,
  words: OptionWords & { readonly fallback: string },
): z.ZodPrefault<z.ZodType<T, string>> {
  const option = z.prefault(schema, words.fallback);
  optionWords.add(option, words);
  return option;
}

/** Names of options are those of their fields without the unit: `maxLatencyMs` is `--max-latency`. */
export function flagOf(field: string): string {
  return field.replace(/(?:Ms|Share)$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
