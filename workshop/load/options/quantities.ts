import { z } from 'zod';

type TextTo<T> = z.ZodType<T, string>;

const milliseconds = { ms: 1, s: 1_000, m: 60_000 } as const;

/** A time such as `30s`, `500ms` or `2m`; a bare number is in seconds. Becomes milliseconds. */
export function time(least: string, most: string): TextTo<number> {
  return quantity(readTime, { least, most }, 'a time such as 30s, 500ms or 2m');
}

/** Any number, with a point if need be. */
export function number(least: number, most: number): TextTo<number> {
  return quantity(readNumber, { least: String(least), most: String(most) }, 'a number');
}

export function count(least: number, most: number): TextTo<number> {
  const read = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);
  return quantity(read, { least: String(least), most: String(most) }, 'a whole number');
}

/** `1` or `1%`. Becomes a share: 0.01. */
export function percentage(): TextTo<number> {
  const read = (text: string): number | undefined => {
    const percent = readNumber(text.replace(/\s*%$/, ''));
    return percent === undefined ? undefined : percent / 100;
  };
  return quantity(read, { least: '0%', most: '100%' }, 'a percentage such as 1%');
}

export function word(pattern: RegExp, what: string): TextTo<string> {
  return z.string().refine((text) => pattern.test(text), { error: `must be ${what}` });
}

export function oneOf<const T extends string>(...choices: readonly T[]): TextTo<T> {
  return z.string().transform((text, context) => {
    const chosen = choices.find((choice) => choice === text);
    if (chosen !== undefined) return chosen;
    context.addIssue(`must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`);
    return z.NEVER;
  });
}

function quantity(
  read: (text: string) => number | undefined,
  { least, most }: { readonly least: string; readonly most: string },
  what: string,
): TextTo<number> {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined && value >= (read(least) ?? 0) && value <= (read(most) ?? 0)) return value;
    context.addIssue(value === undefined ? `must be ${what}` : `must be from ${least} to ${most}`);
    return z.NEVER;
  });
}

function readNumber(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function readTime(text: string): number | undefined {
  const [, value, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  if (value === undefined) return undefined;
  return Number(value) * (unit === 'ms' ? milliseconds.ms : unit === 'm' ? milliseconds.m : milliseconds.s);
}
