import { Command, CommanderError, Option } from 'commander';
import { addCommands } from './command-table.ts';
import { callFailure } from './failures/call-failure.ts';
import { CommandFailure } from './failures/failure.ts';
import { helpEnd, helpFormat } from './help/help.ts';
import { Output } from './output/output.ts';
import type { Invocation } from './session/session.ts';
import { type OptionSpec, optionSpecs } from './settings/options.ts';

/** Runs a command line. @returns its exit code */
export async function runCli(invocation: Invocation, version: string): Promise<number> {
  let program: Command | undefined;
  try {
    program = await buildProgram(invocation, version);
    await program.parseAsync([...invocation.args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (invocation.stopped.aborted) return 130;
    const failure =
      error instanceof CommanderError && program ? usageFailure(error, program, invocation.args) : callFailure(error);
    if (!failure.isReported) outputBeforeParsing(invocation).failure(failure);
    return failure.exitCode;
  }
}

async function buildProgram(invocation: Invocation, version: string): Promise<Command> {
  const program = new Command('switchyard')
    .description('Calls A2A agents, and runs and operates Switchyard, a gateway for them.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--config <path>', 'a settings file, instead of the nearest .env')
    .showHelpAfterError(false)
    .configureHelp(helpFormat)
    .configureOutput({
      writeOut: invocation.streams.out,
      writeErr: invocation.streams.err,
      outputError: () => undefined,
    })
    .exitOverride();
  for (const spec of Object.values(optionSpecs)) program.addOption(optionOf(spec));
  for (const alias of ['--watch', '--return-immediately', '--no-wait']) program.addOption(new Option(alias).hideHelp());
  program.addHelpText('after', helpEnd);
  await addCommands(program, invocation);
  return program;
}

function optionOf(spec: OptionSpec): Option {
  const text =
    spec.default === undefined || spec.kind === 'switch' ? spec.text : `${spec.text} (default: ${spec.default})`;
  const option = new Option(spec.flags, text);
  if (spec.kind === 'list') option.argParser((value: string, before: string[] = []) => [...before, value]);
  return option;
}

/** The command line cannot be parsed. */
function usageFailure({ message, code }: CommanderError, program: Command, args: readonly string[]): CommandFailure {
  const text = code === 'commander.help' ? 'No command given' : message.replace(/^error: /, '').replaceAll('\n', ' ');
  let path = program.name();
  let command = program;
  for (const word of args) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) break;
    command = next;
    path += ` ${word}`;
  }
  // Of `queue foo` the parser says that `list`, which nobody typed, has too many arguments.
  const isUnknown = code === 'commander.excessArguments' && command.commands.length > 0;
  const [, given = ''] = isUnknown ? message.split(/ but got \d+: /, 2) : [];
  const isOne = given !== '' && !given.includes(',');
  return new CommandFailure('A2ACLI_ERR_USAGE', isOne ? `unknown command '${given.slice(0, -1)}'` : text, {
    hint: `${path} --help`,
  });
}

/** A command line that cannot be parsed may still request JSON. */
function outputBeforeParsing({ args, env, streams }: Invocation): Output {
  const line = args.join('\n');
  const isJson = /(?:^|\n)(?:-o|--output)[\n=]?json(?:\n|$)/.test(line);
  const isText = /(?:^|\n)(?:-o|--output)[\n=]?text(?:\n|$)/.test(line);
  const output = isJson || (env.A2ACLI_OUTPUT === 'json' && !isText) ? 'json' : 'text';
  return new Output(streams, { output, stream: args.includes('--stream') });
}
