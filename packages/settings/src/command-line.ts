import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { CommandName } from './setting/setting.ts';
import { settingsHelp } from './settings-table.ts';

export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** As it is typed: `switchyard worker [<module> …]`. */
  readonly usage: string;
  /** What the command does, and its options. */
  readonly text: string;
  readonly options: Options;
  /** Words beside the options are allowed. */
  readonly allowPositionals?: boolean;
  /** Whose settings its help lists; or those that it lists, by name. */
  readonly settingsOf: readonly CommandName[] | { readonly names: readonly string[] };
}

/** The command line is not valid; the message has the reason and the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was typed; or the help, for `--help` and `-h`. @throws {UsageError} */
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
      allowPositionals: allowPositionals,
      allowNegative: true,
    });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\nUsage: ${usage} (--help says more)`);
  }
}
