import { type Command, Help, type Option } from 'commander';
import { longFlag, type OptionSpec, optionSpecs } from '../settings/options.ts';
import { pathOf, readWithoutAgent } from '../settings/read-options.ts';
import { examples } from './examples.ts';

/** The heading of the commands that call agents: all options of calls are for them. */
export const agentCommands = 'Agents:';

/**
 * The help of a command: its options, then those of every call that apply to it, then examples. `switchyard --help`
 * lists the commands before the options.
 */
export const helpFormat = { showGlobalOptions: true, visibleOptions, visibleGlobalOptions, formatHelp };

export const helpEnd = `
Options other than --stream can also be set in the environment (A2ACLI_AGENT_CARD, A2ACLI_BEARER, …) or in .env.
SWITCHYARD_URL is another name for A2ACLI_AGENT_CARD.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 agent unreachable, 4 bad credentials, 5 timeout.`;

/** The command's own options, and the general ones that only some commands read. */
function visibleOptions(this: Help, command: Command): Option[] {
  const own = Help.prototype.visibleOptions.call(this, command);
  if (!command.parent) return own;
  const particular = generalOptions(this, command).filter((option) => specOf(option)?.usedBy !== undefined);
  const help = own.filter(({ long }) => long === '--help');
  return [...own.filter((option) => !help.includes(option)), ...particular, ...help];
}

/** Options of every call. */
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  return generalOptions(this, command).filter((option) => specOf(option)?.usedBy === undefined);
}

/** Options of calls that these commands of operators show. */
const optionsOfOperators: Readonly<Record<string, readonly string[]>> = {
  doctor: ['--agent-card'],
  schedules: ['--agent-card', '--bearer', '--api-key'],
  why: ['--agent-card'],
  'dead retry': ['--stream'],
};

/** The options of `switchyard` that a command reads; a group of commands reads none. */
function generalOptions(help: Help, command: Command): Option[] {
  if (command.commands.length > 0) return [];
  const all = Help.prototype.visibleGlobalOptions.call(help, command).filter(({ long }) => long !== '--version');
  const top = topOf(command);
  const path = pathOf(command);
  if (top.helpGroup() === agentCommands && !readWithoutAgent(path))
    return all.filter((option) => isUsedBy(option, path));
  const more = optionsOfOperators[path] ?? optionsOfOperators[top.name()] ?? [];
  return all.filter(({ long }) => long === '--output' || more.includes(long ?? ''));
}

function isUsedBy(option: Option, path: string): boolean {
  return specOf(option)?.usedBy?.includes(path) ?? true;
}

function specOf({ long }: Option): OptionSpec | undefined {
  return Object.values<OptionSpec>(optionSpecs).find((spec) => longFlag(spec) === long);
}

function topOf(command: Command): Command {
  return command.parent?.parent ? topOf(command.parent) : command;
}

function formatHelp(command: Command, helper: Help): string {
  const text = Help.prototype.formatHelp
    .call(helper, command, helper)
    .replace('\nGlobal Options:\n', '\nEvery call:\n');
  if (!command.parent) return commandsFirst(text);
  const lines = examples[pathOf(command)] ?? [];
  if (lines.length === 0) return text;
  return `${text}\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** Of `switchyard --help`. */
function commandsFirst(text: string): string {
  const options = text.search(/\nOptions:\n/);
  const commands = text.search(/\n(?:Agents|Commands):\n/);
  if (commands < options) return text;
  return text.slice(0, options) + text.slice(commands) + text.slice(options, commands);
}
