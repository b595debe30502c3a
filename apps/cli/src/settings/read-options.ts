import type { Command } from 'commander';
import { CommandFailure } from '../failures/failure.ts';
import { longFlag, type OptionName, type OptionSpec, optionSpecs } from './options.ts';
import type { Flags } from './resolve.ts';

/** Commands that call no agent, and the options of calls that they read. Their subcommands read the same. */
const withoutAgent: Readonly<Record<string, readonly OptionName[]>> = {
  queue: [],
  dead: [],
  logs: [],
  keys: [],
  why: ['agentCard'],
  'task delete': [],
  'task rerun': [],
};

/** Options that say how a command runs, not what it does: every command takes them. */
const ofEveryCommand: readonly OptionName[] = [
  'output',
  'timeout',
  'pollInterval',
  'verbose',
  'debug',
  'insecure',
  'credentialsFor',
];

/** `task get`; '' for `switchyard` itself. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : '';
}

/** The path of the command, or of its group, in `withoutAgent`; undefined for a command that calls agents. */
export function readWithoutAgent(path: string): readonly OptionName[] | undefined {
  return withoutAgent[path] ?? withoutAgent[path.split(' ')[0] ?? ''];
}

/** The long flags of calls that a command takes: `--agent-card`. */
export function flagsTakenBy(path: string): string[] {
  return Object.entries<OptionSpec>(optionSpecs).flatMap(([name, spec]) =>
    isTaken(name, path) ? [longFlag(spec)] : [],
  );
}

function isTaken(name: string, path: string): boolean {
  if (ofEveryCommand.some((each) => each === name)) return true;
  const { usedBy } = Object.entries<OptionSpec>(optionSpecs).find(([each]) => each === name)?.[1] ?? {};
  if (usedBy) return usedBy.includes(path);
  return readWithoutAgent(path)?.some((each) => each === name) ?? true;
}

/**
 * A flag that its command does not read may be a mistyped one: without `--scopes` a key may do everything, and `-a` does
 * not lead a command of operators to another deployment.
 * @throws {CommandFailure} it names each such flag
 */
export function requireReadFlags(command: Command, flags: Flags): void {
  const path = pathOf(command);
  // It shows what a setting would be.
  if (path === 'config show') return;
  const given: Flags = {
    ...flags,
    wait: flags.wait ?? flags.watch,
    async: flags.async ?? flags.returnImmediately,
  };
  const unread = Object.entries<OptionSpec>(optionSpecs).filter(
    ([name]) => given[name] !== undefined && !isTaken(name, path),
  );
  if (unread.length === 0) return;
  const names = unread.map(([, spec]) => longFlag(spec));
  const readers = unread.flatMap(([, { usedBy = [] }]) => usedBy);
  const others = readers.length > 0 ? `; it is for ${[...new Set(readers)].join(', ')}` : '';
  const text = `${path} does not take ${names.join(', ')}${others}`;
  throw new CommandFailure('A2ACLI_ERR_USAGE', text, { hint: `switchyard ${path} --help` });
}
