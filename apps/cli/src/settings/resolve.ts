import type { z } from 'zod';
import { CommandFailure } from '../failures/failure.ts';
import type { SettingsFile } from './dotenv.ts';
import { type CliOptions, longFlag, type OptionName, type OptionSpec, optionSpecs, variableOf } from './options.ts';

/** The options that commander parsed, by name. */
export type Flags = Readonly<Record<string, unknown>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting and its source. */
export interface Setting {
  readonly name: OptionName;
  readonly spec: OptionSpec;
  readonly value: unknown;
  readonly given: string;
  readonly source: string;
  /** The file that has it, if it came from a file. */
  readonly file?: SettingsFile | undefined;
  /** The default. */
  readonly isDefault: boolean;
}

/** A value that replaces an option's default, and its source. */
export type Defaults = Readonly<Partial<Record<OptionName, { readonly text: string; readonly source: string }>>>;

export interface Sources {
  readonly flags: Flags;
  readonly env: Environment;
  readonly files: readonly SettingsFile[];
  readonly defaults?: Defaults;
}

/** Every option from flag, environment, local file, global file or default, in this order. @throws {CommandFailure} */
export function resolveSettings(sources: Sources): readonly Setting[] {
  return optionNames().map((name) => {
    const spec: OptionSpec = optionSpecs[name];
    const { text, ...origin } = given(name, spec, sources);
    const { source } = origin;
    if (text === undefined) return { name, spec, value: undefined, given: '', ...origin };
    const { data, error } = spec.schema.safeParse(text);
    if (error) throw new CommandFailure('A2ACLI_ERR_USAGE', `${source} ${firstIssue(error)}`);
    return { name, spec, value: data, given: [text].flat().join(','), ...origin };
  });
}

/** The values without sources. */
export function optionsOf(settings: readonly Setting[]): CliOptions {
  // Each value was parsed by the schema from which its type is derived.
  return Object.fromEntries(settings.map(({ name, value }) => [name, value])) as unknown as CliOptions;
}

function optionNames(): OptionName[] {
  return Object.keys(optionSpecs) as OptionName[];
}

function given(name: OptionName, spec: OptionSpec, { defaults = {}, ...sources }: Sources) {
  const asked = askedFor(name, spec, sources);
  if (asked) return { ...asked, isDefault: false };
  const { text, source } = defaults[name] ?? { text: spec.default, source: 'default' };
  return { text, source, isDefault: true };
}

function askedFor(name: OptionName, spec: OptionSpec, { flags, env, files }: Omit<Sources, 'defaults'>) {
  const flag = flags[name];
  if (flag !== undefined) return { text: Array.isArray(flag) ? flag : String(flag), source: longFlag(spec) };
  if (!spec.isFlagOnly) {
    const variable = variableOf(spec);
    const sources: readonly Found[] = [
      { text: env[variable], source: variable },
      { text: env[spec.alsoFrom ?? variable], source: spec.alsoFrom ?? variable },
      ...files
        .filter(({ isOfFolder }) => !(spec.isOfUser && isOfFolder))
        .map((file) => ({ text: file.values[variable], source: `${variable} in ${file.path}`, file })),
    ];
    const found = sources.find(({ text }) => text);
    if (found?.text) return { ...found, text: asGiven(spec, found.text) };
  }
  return undefined;
}

/** A text from the environment, or from a file. */
interface Found {
  readonly text: string | undefined;
  readonly source: string;
  readonly file?: SettingsFile;
}

function asGiven({ kind }: OptionSpec, text: string): string | string[] {
  return kind === 'list' ? text.split(',').map((each) => each.trim()) : text;
}

function firstIssue({ issues }: z.ZodError): string {
  return issues[0]?.message ?? 'is not valid';
}
