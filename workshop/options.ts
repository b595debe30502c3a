import { parseArgs } from 'node:util';

/**
 * An option of a command line. Its flag is the name of its field without the unit: `maxLatencyMs` is `--max-latency`.
 */
export interface Option<T> {
  /** The placeholder of its value in the help: `<time>`; empty: it has no value. */
  readonly value: string;
  readonly what: string;
  /** The default, as on the command line; undefined: there is none. */
  readonly fallback: string | undefined;
  /** @throws {Error} that names the valid values */
  read(text: string): T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type ValuesOf<O extends Options> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

/** As on the command line. */
type Bounds = readonly [least?: string, most?: string];

/** A number with bounds. */
function quantity(value: string, kind: string, parse: (text: string) => number | undefined) {
  return (what: string, fallback?: string, [least = '0', most = '1000000000000']: Bounds = []): Option<number> => ({
    value,
    what,
    fallback,
    read(text) {
      const number = parse(text) ?? mustBe(kind);
      const isWithin = number >= (parse(least) ?? 0) && number <= (parse(most) ?? 0);
      return isWithin ? number : mustBe(`from ${least} to ${most}`);
    },
  });
}

const decimal = (text: string): number | undefined => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined);
const units = { ms: 1, s: 1_000, m: 60_000 } as const;

export const number = quantity('<n>', 'a number', decimal);
export const count = quantity('<n>', 'a whole number', (text) => (/^\d+$/.test(text) ? Number(text) : undefined));
/** A time such as `30s`, `500ms` or `2m`; a bare number is in seconds. Becomes milliseconds. */
export const time = quantity('<time>', 'a time such as 30s, 500ms or 2m', (text) => {
  const unit = text.endsWith('ms') ? 'ms' : text.endsWith('m') ? 'm' : 's';
  const value = decimal(text.replace(new RegExp(`${unit}$`), ''));
  return value === undefined ? undefined : value * units[unit];
});
/** `1` or `1%`. Becomes a share: 0.01. */
export const percentage = quantity('<percent>', 'a percentage such as 1%', (text) => {
  const percent = decimal(text.replace(/\s*%$/, ''));
  return percent === undefined ? undefined : percent / 100;
});

/** An optional text. @param valid the pattern of valid texts, and their name */
export const word = (value: string, what: string, [pattern, kind]: readonly [RegExp, string]) =>
  optional({ value, what, fallback: undefined, read: (text) => (pattern.test(text) ? text : mustBe(kind)) });

export const oneOf = <const T extends string>(choices: readonly T[], what: string, fallback?: T): Option<T> => ({
  value: choices.join('|'),
  what,
  fallback,
  read: (text) =>
    choices.find((choice) => choice === text) ?? mustBe(`${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`),
});

/** `NAME=value,NAME=value`, as settings are written. Optional. */
export const settings = (what: string): Option<Readonly<Record<string, string>> | undefined> => ({
  value: '<NAME=value,…>',
  what,
  fallback: undefined,
  read(text) {
    const found = text.split(',').map((pair) => /^(\w+)=(.*)$/.exec(pair) ?? mustBe('NAME=value, with commas between'));
    return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
  },
});

export const flag = (what: string): Option<boolean> => ({
  value: '',
  what,
  fallback: 'false',
  read: (text) => text === 'true',
});

/** Makes an option optional. */
export const optional = <T>(option: Option<T>): Option<T | undefined> => option;

export function mustBe(kind: string): never {
  throw new Error(`must be ${kind}`);
}

function nameOf(field: string): string {
  return field.replace(/(?:Ms|Share)$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Lines of help, one for each option. */
export function helpOf(options: Options): string[] {
  return Object.entries(options).map(([field, { value, what, fallback }]) => {
    const usual = fallback === undefined || !value ? '' : ` (${fallback})`;
    return `  ${`--${nameOf(field)} ${value}`.padEnd(38)} ${what}${usual}`;
  });
}

export interface CommandLine<O extends Options> {
  readonly options: O;
  /** The names that can be given besides options. */
  readonly names?: readonly string[];
}

export interface Given<O extends Options> {
  readonly options: ValuesOf<O>;
  readonly names: readonly string[];
}

/** The parsed values, or all problems. */
export function parseCommandLine<O extends Options>(
  { options, names = [] }: CommandLine<O>,
  args: readonly string[],
): Given<O> | string[] {
  const types = Object.entries(options).map(([field, { value }]) => [
    nameOf(field),
    { type: value ? 'string' : 'boolean' } as const,
  ]);
  const known = Object.fromEntries(types);
  const typed = parseArgs({ args: [...args], options: known, strict: false, allowPositionals: true });
  const problems = [
    ...Object.keys(typed.values).flatMap((name) => (name in known ? [] : [`--${name}: there is no such option`])),
    ...typed.positionals.flatMap((name) => (names.includes(name) ? [] : [`${name}: not understood`])),
  ];
  const values = Object.entries(options).map(([field, { value, fallback, read }]) => {
    const name = nameOf(field);
    const text = typed.values[name] ?? fallback;
    try {
      if (text === true && value) problems.push(`--${name} needs a value`);
      else return [field, text === undefined ? undefined : read(String(text))];
    } catch (error) {
      problems.push(`--${name} ${text}: ${error instanceof Error ? error.message : error}`);
    }
    return [field, undefined];
  });
  if (problems.length > 0) return problems;
  return { options: Object.fromEntries(values) as ValuesOf<O>, names: typed.positionals };
}

/**
 * The parsed command line of this process. An error ends the process with exit code 2, a request for help with 0.
 * Usage: a short description of the program.
 */
export function readCommandLine<O extends Options>({
  usage,
  ...line
}: CommandLine<O> & { readonly usage: string }): Given<O> {
  const args = process.argv.slice(2);
  const help = [usage, ...helpOf(line.options)].join('\n');
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  const given = parseCommandLine(line, args);
  if (!Array.isArray(given)) return given;
  process.stderr.write(`${given.join('\n')}\n\n${help}\n`);
  process.exit(2);
}
