import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import leven from 'leven';
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

/** Exit code of every command for an invalid command line. */
export const WRONG_USAGE = 2;

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Where to look: `switchyard up --help`. */
  readonly hint: string;

  constructor(message: string, hint = '') {
    super(message);
    this.hint = hint;
  }
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
    const [command = ''] = usage.split(/ [[<]/);
    throw new UsageError(
      reasonOf(error, Object.keys(options)),
      `${command}${command.startsWith('npm') ? ' --' : ''} --help`,
    );
  }
}

/** Without the parser's advice, which is about parsers. */
function reasonOf(error: unknown, names: readonly string[]): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(
    /\.? To specify |\. This command|\n/,
  );
  const [, unknown] = /^Unknown option '--([^']*)'/.exec(reason) ?? [];
  const similar =
    unknown && names.find((name) => leven(name, unknown, { maxDistance: 3 }) <= Math.min(2, name.length / 2));
  return similar ? `${reason} (did you mean --${similar}?)` : reason;
}
