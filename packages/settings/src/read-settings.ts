import type { z } from 'zod';
import { allSettings } from './all-settings.ts';
import type { CommandName, Setting } from './setting/setting.ts';

type All = typeof allSettings;

/** The names of a command's settings. */
export type NameOf<Command extends CommandName> = {
  [Name in keyof All]: Command extends All[Name]['of'][number] ? Name : never;
}[keyof All];

/** Undefined if the variable is unset and has no default. */
type ValueOf<S, Command> = S extends { readonly schema: infer Schema extends z.ZodType }
  ? z.output<Schema> | (HasDefault<S, Command> extends true ? never : undefined)
  : never;
type HasDefault<S, Command> = S extends { readonly default: unknown }
  ? true
  : S extends { readonly defaults: infer ByCommand }
    ? Command extends keyof ByCommand
      ? true
      : false
    : false;

/** The values of a command's settings, by name. */
export type ValuesOf<Command extends CommandName> = {
  readonly [Name in NameOf<Command>]: ValueOf<All[Name], Command>;
};

/** Environment variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Some settings are invalid. The message has each name and what is allowed, but not the values: some are secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(problems: readonly string[]) {
    super(`These environment variables are not valid:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}

/** A command's settings, read from the environment. All problems are reported together. */
export class Settings<Command extends CommandName> {
  readonly values: ValuesOf<Command>;
  /** Several settings may have the same one: that of HTTP's certificate is also that of gRPC. */
  readonly #problems = new Set<string>();

  /** An empty variable counts as unset. An invalid one has its default until `requireValid` throws. */
  constructor(command: Command, environment: Environment) {
    const entries = Object.entries<Setting>(allSettings)
      .filter(([, { of }]) => of.includes(command))
      .map(([name, setting]) => [
        name,
        this.#read(name, setting.schema, environment[name]) ?? defaultOf(setting, command),
      ]);
    this.values = Object.fromEntries(entries);
  }

  /** Adds a check: an error that `read` throws becomes a problem of this setting. It must not contain a secret. */
  check<T>(name: NameOf<Command>, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.refuse(name, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  refuse(name: NameOf<Command>, problem: string): void {
    this.#problems.add(`${name}: ${problem}`);
  }

  /** @throws {SettingsError} */
  requireValid(): void {
    Settings.requireAllValid([this]);
  }

  /** Reports the problems of several commands in one error. @throws {SettingsError} */
  static requireAllValid(all: readonly Settings<CommandName>[]): void {
    const problems = new Set(all.flatMap((settings) => [...settings.#problems]));
    if (problems.size > 0) throw new SettingsError([...problems]);
  }

  #read(name: string, schema: z.ZodType, text = ''): unknown {
    if (text === '') return undefined;
    const { data, error } = schema.safeParse(text);
    if (!error) return data;
    const [issue] = error.issues;
    this.#problems.add(`${name}: ${issue?.message}`);
    return undefined;
  }
}

function defaultOf(setting: Setting, command: CommandName): unknown {
  return setting.default ?? setting.defaults?.[command];
}
