import { parseArgs } from 'node:util';

/** One option of a command line. Its name is that of its field, without the unit: `maxLatencyMs` is `--max-latency`. */
export interface Option<T> {
  /** Stands for the value in the help: `<time>`; empty: the option has none. */
  readonly value: string;
  readonly what: string;
  /** What counts when it is left out, as it would be typed; undefined: nothing does. */
  readonly fallback: string | undefined;
  /** @throws {Error} that names the valid texts */
  read(text: string): T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type ValuesOf<O extends Options> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

interface Words {
  readonly what: string;
  readonly fallback?: string;
}

/** A time such as `30s`, `500ms` or `2m`; a bare number is in seconds. Becomes milliseconds. */
export const time = (words: Words, least: string, most: string): Option<number> =>
  quantity({ ...words, value: '<time>' }, { least, most, read: readTime, kind: 'a time such as 30s, 500ms or 2m' });

export const number = (words: Words, least: number, most: number): Option<number> =>
  quantity({ ...words, value: '<n>' }, { least: `${least}`, most: `${most}`, read: readNumber, kind: 'a number' });

export const count = (words: Words, least = 0, most = 1e12): Option<number> => {
  const read = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);
  return quantity({ ...words, value: '<n>' }, { least: `${least}`, most: `${most}`, read, kind: 'a whole number' });
};

/** `1` or `1%`. Becomes a share: 0.01. */
export const percentage = (words: Words): Option<number> => {
  const read = (text: string): number | undefined => {
    const percent = readNumber(text.replace(/\s*%$/, ''));
    return percent === undefined ? undefined : percent / 100;
  };
  const bounds = { least: '0%', most: '100%' };
  return quantity({ ...words, value: '<percent>' }, { ...bounds, read, kind: 'a percentage such as 1%' });
};

export const word = (words: Words & { readonly value: string }, pattern: RegExp, kind: string): Option<string> => ({
  fallback: undefined,
  ...words,
  read: (text) => (pattern.test(text) ? text : mustBe(kind)),
});

export const oneOf = <T extends string>(words: Words, ...choices: readonly T[]): Option<T> => ({
  fallback: undefined,
  ...words,
  value: choices.join('|'),
  read: (text) =>
    choices.find((choice) => choice === text) ?? mustBe(`${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`),
});

/** `NAME=value,NAME=value`, as settings are. */
export const settings = (words: Words): Option<Readonly<Record<string, string>>> => ({
  fallback: undefined,
  ...words,
  value: '<NAME=value,…>',
  read(text) {
    const found = text.split(',').map((pair) => /^(\w+)=(.*)$/.exec(pair) ?? mustBe('NAME=value, with commas between'));
    return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
  },
});

/** On or off. */
export const flag = (what: string): Option<boolean> => ({
  value: '',
  what,
  fallback: 'false',
  read: (text) => text === 'true',
});

/** One that may be left out. */
export const optional = <T>(option: Option<T>): Option<T | undefined> => option;

export function mustBe(kind: string): never {
  throw new Error(`must be ${kind}`);
}

interface Quantity {
  readonly least: string;
  readonly most: string;
  readonly kind: string;
  read(text: string): number | undefined;
}

function quantity(words: Words & { readonly value: string }, { least, most, kind, read }: Quantity): Option<number> {
  return {
    fallback: undefined,
    ...words,
    read(text) {
      const value = read(text) ?? mustBe(kind);
      return value >= (read(least) ?? 0) && value <= (read(most) ?? 0) ? value : mustBe(`from ${least} to ${most}`);
    },
  };
}

function readNumber(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function readTime(text: string): number | undefined {
  const [, value, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  if (value === undefined) return undefined;
  return Number(value) * (unit === 'ms' ? 1 : unit === 'm' ? 60_000 : 1_000);
}

export function nameOf(field: string): string {
  return field.replace(/(?:Ms|Share)$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface Typed {
  /** By their names. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly words: readonly string[];
}

/** What was typed, whatever it means. @param known options of any kind: which take a value */
export function typed(args: readonly string[], known: Options): Typed {
  const types = Object.entries(known).map(([field, { value }]) => [
    nameOf(field),
    { type: value ? 'string' : 'boolean' } as const,
  ]);
  const help = { type: 'boolean', short: 'h' } as const;
  const options = { ...Object.fromEntries(types), help };
  const { values, positionals } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
  return { options: values, words: positionals };
}

/** The values of options, or all that is wrong with them. */
export function valuesOf<O extends Options>(options: O, given: Typed['options']): ValuesOf<O> | readonly string[] {
  const problems: string[] = [];
  const entries = Object.entries(options).map(([field, option]) => {
    const name = nameOf(field);
    const text = given[name] ?? option.fallback;
    if (text === true && option.value) {
      problems.push(`--${name} needs a value`);
      return [field, undefined];
    }
    try {
      return [field, text === undefined ? undefined : option.read(String(text))];
    } catch (error) {
      problems.push(`--${name} ${text}: ${error instanceof Error ? error.message : error}`);
      return [field, undefined];
    }
  });
  return problems.length > 0 ? problems : (Object.fromEntries(entries) as ValuesOf<O>);
}

/** Lines of help, one for each option. */
export function helpOf(options: Options): string[] {
  return Object.entries(options).map(([field, { value, what, fallback }]) => {
    const usual = fallback === undefined || !value ? '' : ` (${fallback})`;
    return `  ${`--${nameOf(field)} ${value}`.padEnd(38)} ${what}${usual}`;
  });
}

export interface CommandLine<O extends Options> {
  /** What the program does, in a line or some. */
  readonly usage: string;
  readonly options: O;
  /** What may be named beside the options. */
  readonly names?: readonly string[];
}

export interface Given<O extends Options> {
  readonly options: ValuesOf<O>;
  readonly names: readonly string[];
}

/** What was typed, or all that is wrong with it. */
export function parseCommandLine<O extends Options>(
  line: CommandLine<O>,
  args: readonly string[],
): Given<O> | string[] {
  const given = typed(args, line.options);
  const known = new Set(Object.keys(line.options).map(nameOf));
  const { names = [] } = line;
  const unknown = [
    ...Object.keys(given.options).flatMap((name) => (known.has(name) ? [] : [`--${name}: there is no such option`])),
    ...given.words.flatMap((name) => (names.includes(name) ? [] : [`${name}: not understood`])),
  ];
  const options = valuesOf(line.options, given.options);
  if (Array.isArray(options)) return [...unknown, ...options];
  return unknown.length > 0 ? unknown : { options: options as ValuesOf<O>, names: given.words };
}

/** The command line of this process. A mistake ends it with exit code 2, a call for help with 0. */
export function readCommandLine<O extends Options>(line: CommandLine<O>): Given<O> {
  const args = process.argv.slice(2);
  const help = [line.usage, ...helpOf(line.options)].join('\n');
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  const given = parseCommandLine(line, args);
  if (!Array.isArray(given)) return given;
  process.stderr.write(`${given.join('\n')}\n\n${help}\n`);
  process.exit(2);
}
