import { z } from 'zod';

/** Schemas of settings. Each parses the text of a variable, and its description names the allowed values. */

export function integer(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of ${least} or more`;
  const error = mustBe(`a whole number ${range}`);
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error }).describe(allowed(error));
}

export const share = z.coerce
  .number({ error: mustBe('a number from 0 to 1') })
  .min(0, { error: mustBe('a number from 0 to 1') })
  .max(1, { error: mustBe('a number from 0 to 1') })
  .describe('a number from 0 to 1');

/** At most the longest time of a Node timer. */
export const milliseconds = integer(1, 2 ** 31 - 1);
export const millisecondsOrOff = z
  .union([z.literal('off'), milliseconds], { error: mustBe('a whole number from 1 to 2147483647, or off') })
  .describe('a whole number from 1 to 2147483647, or off');
/** A time that is only compared, and may be longer than a Node timer allows. */
export const longMilliseconds = integer(1);
/** 0: any free port. */
export const port = integer(0, 65_535);

export function oneOf<const Word extends string>(...words: readonly Word[]) {
  const error = mustBe(words.join(', ').replace(/, ([^,]*)$/, ' or $1'));
  return z.enum(words, { error }).describe(allowed(error));
}

/** Words separated by spaces or commas, at least one. */
export function listOf<const Word extends string>(...words: readonly Word[]) {
  const error = mustBe(`one or more of ${words.join(', ')}`);
  const listed = z.array(z.enum(words)).min(1);
  return z
    .string()
    .transform((line, context): readonly Word[] => {
      const { data } = listed.safeParse([...new Set(wordsIn(line))]);
      if (!data) context.addIssue(error);
      return data ?? z.NEVER;
    })
    .describe(allowed(error));
}

/** Also accepts `true` and `false`. */
export const onOff = z
  .enum(['on', 'off', 'true', 'false'], { error: mustBe('on or off') })
  .transform((word) => word === 'on' || word === 'true')
  .describe('on or off');

export const portOrOff = z
  .union([z.literal('off'), port], { error: mustBe('a whole number from 0 to 65535, or off') })
  .describe('a whole number from 0 to 65535, or off');

/** A limit, or `off`, which is read as 0. */
export function limitOrOff(most: number) {
  const description = `a whole number from 1 to ${most}, or off`;
  return z
    .union([z.literal('off'), integer(1, most)], { error: mustBe(description) })
    .transform((limit) => (limit === 'off' ? 0 : limit))
    .describe(description);
}

/** A token bucket of `count` tokens, refilled evenly within `seconds`. */
export interface Rate {
  readonly count: number;
  readonly seconds: number;
}

const secondsOf = { s: 1, m: 60, h: 3_600 } as const;

export const rateOrOff = z
  .union([z.literal('off'), z.templateLiteral([z.int().min(1).max(1_000_000_000), '/', z.enum(['s', 'm', 'h'])])], {
    error: mustBe('a rate such as 50/s, 600/m or 1000/h, or off'),
  })
  .transform((text): Rate | 'off' => {
    if (text === 'off') return text;
    const [count, unit] = text.split('/');
    return { count: Number(count), seconds: unit === 's' || unit === 'm' ? secondsOf[unit] : secondsOf.h };
  })
  .describe('a rate such as 50/s, 600/m or 1000/h, or off');

/** An amount in US dollars, which is read as millionths of a dollar; `off` is read as 0. */
export const dollarsOrOff = z
  .union([z.literal('off'), z.string().regex(/^\d{1,9}(?:\.\d{1,6})?$/)], {
    error: mustBe('an amount in US dollars such as 20 or 0.50, or off'),
  })
  .transform((text): number => {
    if (text === 'off') return 0;
    const [whole = '0', fraction = ''] = text.split('.');
    return Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
  })
  .describe('an amount in US dollars such as 20 or 0.50, or off');

/** Text that matches a pattern. */
export function text(form: RegExp, description: string) {
  return z
    .string()
    .regex(form, { error: mustBe(description) })
    .describe(description);
}

export const anyText = z.string().describe('any text');

export const httpUrl = z
  .url({ protocol: /^https?$/, error: mustBe('an address such as https://agents.example.com') })
  .describe('an address such as https://agents.example.com');

/** Words separated by spaces or commas. */
export const list = z
  .string()
  .transform((line): readonly string[] => wordsIn(line))
  .describe('a list, separated by commas or spaces');

function wordsIn(line: string): string[] {
  return line.split(/[\s,]+/).filter((word) => word !== '');
}

function mustBe(description: string): string {
  return `must be ${description}`;
}

function allowed(error: string): string {
  return error.replace('must be ', '');
}
