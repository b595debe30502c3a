import { parseArgs } from 'node:util';

export interface CommandLine<Count extends string, Flag extends string> {
  /** What `--help` says, and what follows a mistake. */
  readonly usage: string;
  /** Options that are whole numbers, from 0, with what they are when they are left out: `{ tasks: 10_000 }` is `--tasks <n>`. */
  readonly counts: Readonly<Record<Count, number>>;
  /** Options without a value. */
  readonly flags?: readonly Flag[];
  /** What may be named beside the options; unset: nothing. */
  readonly names?: readonly string[];
}

export interface Given<Count extends string, Flag extends string> {
  readonly counts: Readonly<Record<Count, number>>;
  readonly flags: ReadonlySet<Flag>;
  readonly names: readonly string[];
}

/** What was typed. @throws {Error} in words that say what is wrong */
export function parseCommandLine<Count extends string, Flag extends string = never>(
  { counts, flags = [], names = [] }: CommandLine<Count, Flag>,
  args: readonly string[],
): Given<Count, Flag> {
  const texts = Object.entries<number>(counts).map(([name, value]) => [
    name,
    { type: 'string', default: String(value) } as const,
  ]);
  const switches = flags.map((name) => [name, { type: 'boolean' } as const]);
  const options = Object.fromEntries([...texts, ...switches]);
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const typed: Readonly<Record<string, unknown>> = values;
  const stranger = positionals.find((name) => !names.includes(name));
  if (stranger !== undefined)
    throw new Error(names.length ? `There is no ${stranger}, but ${names.join(', ')}` : `${stranger}: not understood`);
  const given = Object.keys(counts).map((name) => [name, count(name, String(typed[name]))]);
  return {
    counts: Object.fromEntries(given),
    flags: new Set(flags.filter((name) => typed[name] === true)),
    names: positionals,
  };
}

function count(name: string, text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new Error(`--${name} is a whole number, not ${text}`);
}

/** As `parseCommandLine`, of this process. A mistake ends it with exit code 2, a call for help with 0. */
export function readCommandLine<Count extends string, Flag extends string = never>(
  line: CommandLine<Count, Flag>,
): Given<Count, Flag> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${line.usage}\n`);
    process.exit(0);
  }
  try {
    return parseCommandLine(line, args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${line.usage}\n`);
    process.exit(2);
  }
}
