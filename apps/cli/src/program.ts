import { Command, CommanderError, Help, Option } from 'commander';
import { addCardCommands } from './commands/card.ts';
import { addChatCommand } from './commands/chat.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConfigCommands } from './commands/config.ts';
import { addPushConfigCommands } from './commands/push-config.ts';
import { addSendCommand } from './commands/send.ts';
import { addTaskCommands } from './commands/task.ts';
import { callFailure } from './failures/call-failure.ts';
import { Failure } from './failures/failure.ts';
import { addDeadCommands } from './operator/dead.ts';
import { addDoctorCommand } from './operator/doctor.ts';
import { addKeysCommands } from './operator/keys.ts';
import { addQueueCommands } from './operator/queue.ts';
import { addWhyCommand } from './operator/why.ts';
import { Output } from './output/output.ts';
import type { Invocation } from './session/session.ts';
import { type OptionSpec, optionSpecs } from './settings/options.ts';

/** Commands that are separate programs: their lines in the help. */
const otherPrograms: Readonly<Record<string, string>> = {
  up: 'run your agents on this machine, with Redis, a gateway, workers and the console',
  gateway: 'run a gateway',
  worker: 'run a worker with your agents',
  all: 'run a gateway and workers as one process group, for a container',
  load: 'load-test an agent',
};

/** Runs a command line. @returns its exit code */
export async function runCli(invocation: Invocation, version: string): Promise<number> {
  const program = buildProgram(invocation, version);
  try {
    await program.parseAsync([...invocation.args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (invocation.stopped.aborted) return 130;
    const failure =
      error instanceof CommanderError ? usageFailure(error, program, invocation.args) : callFailure(error);
    if (!failure.isReported) outputBeforeParsing(invocation).failure(failure);
    return failure.exitCode;
  }
}

/** All commands. */
function buildProgram(invocation: Invocation, version: string): Command {
  const program = new Command('switchyard')
    .description('Calls A2A agents, and runs and operates Switchyard, a gateway for them.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--config <path>', 'a settings file, instead of the nearest .env')
    .showHelpAfterError(false)
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: usedGlobalOptions, formatHelp: commandsFirst })
    .configureOutput({
      writeOut: invocation.streams.out,
      writeErr: invocation.streams.err,
      outputError: () => undefined,
    })
    .exitOverride();
  for (const spec of Object.values(optionSpecs)) program.addOption(optionOf(spec));
  for (const alias of ['--watch', '--return-immediately', '--no-wait']) program.addOption(new Option(alias).hideHelp());
  program.addHelpText('after', helpEnd);
  program.commandsGroup('Agents:');
  addSendCommand(program, invocation);
  addTaskCommands(program, invocation);
  addPushConfigCommands(program, invocation);
  addCardCommands(program, invocation);
  addChatCommand(program, invocation);
  program.commandsGroup('Switchyard:');
  addQueueCommands(program, invocation);
  addDeadCommands(program, invocation);
  addWhyCommand(program, invocation);
  addKeysCommands(program, invocation);
  addDoctorCommand(program, invocation);
  for (const name of invocation.otherPrograms)
    program
      .command(name)
      .description(otherPrograms[name] ?? '')
      .helpOption(false);
  program.commandsGroup('This command:');
  addConfigCommands(program, invocation);
  addCompletionCommand(program, invocation);
  return program;
}

/** Most options are for calls of agents; other commands do not list them. */
function usedGlobalOptions(this: Help, command: Command): Option[] {
  const all = Help.prototype.visibleGlobalOptions.call(this, command);
  let top = command;
  while (top.parent?.parent) top = top.parent;
  return top.helpGroup() === 'Agents:'
    ? all
    : all.filter(({ long }) => long === '--output' || (top.name() === 'doctor' && long === '--agent-card'));
}

/** Lists the commands before the options, of which there are many. */
function commandsFirst(command: Command, helper: Help): string {
  const text = Help.prototype.formatHelp.call(helper, command, helper);
  const options = text.search(/\n(?:Options|Global Options):\n/);
  const commands = text.search(/\n(?:Agents|Commands):\n/);
  if (commands < options) return text;
  return text.slice(0, options) + text.slice(commands) + text.slice(options, commands);
}

const helpEnd = `
Options other than --stream can also be set in the environment (A2ACLI_AGENT_CARD, A2ACLI_BEARER, …) or in .env.
SWITCHYARD_URL is another name for A2ACLI_AGENT_CARD.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 agent unreachable, 4 bad credentials, 5 timeout.`;

function optionOf(spec: OptionSpec): Option {
  const text =
    spec.default === undefined || spec.kind === 'switch' ? spec.text : `${spec.text} (default: ${spec.default})`;
  const option = new Option(spec.flags, text);
  if (spec.kind === 'list') option.argParser((value: string, before: string[] = []) => [...before, value]);
  return option;
}

/** The command line cannot be parsed. */
function usageFailure({ message, code }: CommanderError, program: Command, args: readonly string[]): Failure {
  const text = code === 'commander.help' ? 'No command given' : message.replace(/^error: /, '').replaceAll('\n', ' ');
  let path = program.name();
  let command: Command | undefined = program;
  for (const word of args) {
    command = command.commands.find((each) => each.name() === word);
    if (!command) break;
    path += ` ${word}`;
  }
  return new Failure('A2ACLI_ERR_USAGE', text, { hint: `${path} --help` });
}

/** A command line that cannot be parsed may still request JSON. */
function outputBeforeParsing({ args, env, streams }: Invocation): Output {
  const line = args.join('\n');
  const isJson = /(?:^|\n)(?:-o|--output)[\n=]?json(?:\n|$)/.test(line);
  const isText = /(?:^|\n)(?:-o|--output)[\n=]?text(?:\n|$)/.test(line);
  const output = isJson || (env.A2ACLI_OUTPUT === 'json' && !isText) ? 'json' : 'text';
  return new Output(streams, { output, stream: args.includes('--stream') });
}
