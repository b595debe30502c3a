import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { CommandName } from './setting/setting.ts';
import { settingsHelp } from './settings-table.ts';

export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** The form of the command: `switchyard worker [<module> …]`. */
  readonly usage: string;
  /** What the command does, and its options. */
  readonly text: string;
  readonly options: Options;
  /** Whether arguments other than options are allowed. */
  readonly allowPositionals?: boolean;
  /** The settings to list in the help: those of these commands, or those with these names. */
  readonly settingsOf: readonly CommandName[] | { readonly names: readonly string[] };
}

/** The command line is invalid. The message has the reason and the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @returns the options and arguments, or the help text for `--help` and `-h` @throws {UsageError} */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  { usage, text, options, allowPositionals = false, settingsOf }: CommandLine<Options>,
  args: readonly string[],
) {
  if (args.includes('--help') || args.includes('-h'))
    return { help: `${text}\n\nUsage: ${usage}\n\n${settingsHelp(settingsOf)}` };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals,
      allowNegative: true,
    });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\nUsage: ${usage} (see --help)`);
  }
}
