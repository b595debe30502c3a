import type { Command } from 'commander';
import { missingPackage } from './failures/missing-package.ts';
import { agentCommands } from './help/help.ts';
import type { Invocation } from './session/session.ts';

type AddCommands = (program: Command, invocation: Invocation) => void;

interface CommandModule {
  /** Heading in the help. */
  readonly group: string;
  readonly name: string;
  /** A module is loaded only if the command line has the name of its command: loading all takes longer than a call. */
  readonly load: () => Promise<readonly AddCommands[]>;
}

const operators = 'Switchyard:';
const own = 'This command:';

/** All commands except the separate programs, in the order of the help. */
const commandTable: readonly CommandModule[] = [
  { group: agentCommands, name: 'send', load: async () => [(await import('./commands/send.ts')).addSendCommand] },
  {
    group: agentCommands,
    name: 'task',
    load: async () => [
      (await import('./commands/task.ts')).addTaskCommands,
      (await import('./commands/push-config.ts')).addPushConfigCommands,
      (await import('./commands/task-actions.ts')).addTaskActions,
    ],
  },
  {
    group: agentCommands,
    name: 'agents',
    load: async () => [(await import('./commands/agents.ts')).addAgentsCommand],
  },
  { group: agentCommands, name: 'card', load: async () => [(await import('./commands/card.ts')).addCardCommands] },
  { group: agentCommands, name: 'login', load: async () => [(await import('./commands/login.ts')).addLoginCommand] },
  {
    group: agentCommands,
    name: 'logout',
    load: async () => [(await import('./commands/logout.ts')).addLogoutCommand],
  },
  { group: agentCommands, name: 'chat', load: async () => [(await import('./commands/chat.ts')).addChatCommand] },
  { group: operators, name: 'queue', load: async () => [(await import('./operator/queue.ts')).addQueueCommands] },
  { group: operators, name: 'dead', load: async () => [(await import('./operator/dead.ts')).addDeadCommands] },
  {
    group: operators,
    name: 'schedules',
    load: async () => [(await import('./operator/schedules.ts')).addScheduleCommands],
  },
  { group: operators, name: 'why', load: async () => [(await import('./operator/why.ts')).addWhyCommand] },
  { group: operators, name: 'search', load: async () => [(await import('./operator/search.ts')).addSearchCommand] },
  { group: operators, name: 'usage', load: async () => [(await import('./operator/usage.ts')).addUsageCommand] },
  {
    group: operators,
    name: 'archive',
    load: async () => [(await import('./operator/archive.ts')).addArchiveCommands],
  },
  { group: operators, name: 'tenant', load: async () => [(await import('./operator/tenant.ts')).addTenantCommands] },
  { group: operators, name: 'logs', load: async () => [(await import('./operator/logs.ts')).addLogsCommand] },
  { group: operators, name: 'keys', load: async () => [(await import('./operator/keys.ts')).addKeysCommands] },
  { group: operators, name: 'doctor', load: async () => [(await import('./operator/doctor.ts')).addDoctorCommand] },
  { group: own, name: 'config', load: async () => [(await import('./commands/config.ts')).addConfigCommands] },
  {
    group: own,
    name: 'completion',
    load: async () => [(await import('./commands/completion.ts')).addCompletionCommand],
  },
];

/** Commands that are separate programs: their lines in the help. */
const otherPrograms: Readonly<Record<string, string>> = {
  up: 'run your agents on this machine, with Redis, a gateway, workers and the console',
  gateway: 'run a gateway',
  worker: 'run a worker with your agents',
  all: 'run a gateway and workers as one process group, for a container',
  test: 'run the tests of your agents',
  load: 'load-test an agent',
};

/** Adds the commands that the command line may mean. */
export async function addCommands(program: Command, invocation: Invocation): Promise<void> {
  const needed = neededModules(invocation.args);
  const isNamed = needed.length < commandTable.length;
  const loaded = await Promise.all(
    needed.map(async ({ group, name, load }) => {
      const add = await (isNamed ? load() : load().catch(notInstalled(name)));
      return { group, add };
    }),
  );
  for (const heading of [agentCommands, operators, own]) {
    program.commandsGroup(heading);
    for (const { group, add } of loaded) if (group === heading) for (const each of add) each(program, invocation);
    if (heading === operators) addOtherPrograms(program, invocation);
  }
}

/** In the list of all commands. */
function notInstalled(name: string): (error: unknown) => readonly AddCommands[] {
  return (error) => {
    const missing = missingPackage(error);
    if (missing === undefined) throw error;
    return [(program) => void program.command(name).description(`not installed: needs ${missing}`)];
  };
}

/** Without a known name: all, for the help and for what was meant by a mistyped name. */
function neededModules(args: readonly string[]): readonly CommandModule[] {
  const named = commandTable.filter(({ name }) => args.includes(name));
  return named.length === 0 || args.includes('completion') ? commandTable : named;
}

function addOtherPrograms(program: Command, { otherPrograms: names }: Invocation): void {
  for (const name of names)
    program
      .command(name)
      .description(otherPrograms[name] ?? '')
      .helpOption(false);
}
