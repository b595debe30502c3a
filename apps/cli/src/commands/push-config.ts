import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { isTerminal, type PushConfig, stateOf } from '../agent/objects.ts';
import { CommandFailure } from '../failures/failure.ts';
import { field } from '../output/labelled-text.ts';
import { type Invocation, type Session, withAgent } from '../session/session.ts';

interface CreateFlags {
  readonly url: string;
  readonly id?: string;
  readonly token?: string;
  readonly authScheme?: string;
  readonly authCredentials?: string;
}

/** `task push-config`: the webhooks of a task. */
export function addPushConfigCommands(program: Command, invocation: Invocation): void {
  const task = program.commands.find((command) => command.name() === 'task') ?? program;
  const push = task.command('push-config').description('the webhooks of a task: create, get, list, delete');
  push
    .command('create')
    .description('send the events of a task to a URL')
    .argument('<taskId>')
    .requiredOption('--url <url>', 'the webhook')
    .option('--id <id>', 'its id (default: the agent chooses)')
    .option('--token <token>', 'a token to send with each event')
    .option('--auth-scheme <scheme>', 'the authentication scheme of the webhook, such as Bearer')
    .option('--auth-credentials <text>', 'the credentials for that scheme')
    .action((taskId: string, flags: CreateFlags, command: Command) =>
      withPush(invocation, command, async ({ output }, agent) => {
        const created = await agent.createPushConfig(configOf(taskId, flags));
        output.result(created, () => configText(created));
        const state = stateOf(await agent.getTask(taskId, { historyLength: 0 }));
        if (isTerminal(state)) output.note(`warning: the task has ended as ${state}: it has no more events to send`);
      }),
    );
  push
    .command('get')
    .description('show a webhook')
    .argument('<taskId>')
    .argument('<configId>')
    .action((taskId: string, id: string, _, command: Command) =>
      withPush(invocation, command, async ({ output }, agent) => {
        const config = await agent.getPushConfig(taskId, id);
        output.result(config, () => configText(config));
      }),
    );
  push
    .command('list')
    .description('list the webhooks of a task')
    .argument('<taskId>')
    .action((taskId: string, _, command: Command) =>
      withPush(invocation, command, async ({ output }, agent) => {
        const page = await agent.listPushConfigs(taskId);
        output.result(page, () => page.configs.map(configText).join('\n') || field('Push-Configs', 'none'));
      }),
    );
  push
    .command('delete')
    .description('delete a webhook')
    .argument('<taskId>')
    .argument('<configId>')
    .action((taskId: string, id: string, _, command: Command) =>
      withPush(invocation, command, async ({ output }, agent) => {
        // To delete what is not there is no error in A2A, but probably a mistyped id.
        await agent.getPushConfig(taskId, id);
        await agent.deletePushConfig(taskId, id);
        output.result({ taskId, id }, () => field('Deleted', id));
      }),
    );
}

function withPush(invocation: Invocation, command: Command, run: (session: Session, agent: Agent) => Promise<void>) {
  return withAgent(invocation, command, async (session, agent) => {
    if (agent.can('pushNotifications')) return run(session, agent);
    throw new CommandFailure(
      'PushNotificationNotSupportedError',
      'The agent’s card says that it sends no push notifications',
    );
  });
}

function configOf(taskId: string, { authScheme, authCredentials, ...flags }: CreateFlags): object {
  if (authCredentials !== undefined && authScheme === undefined)
    throw new CommandFailure('A2ACLI_ERR_USAGE', '--auth-credentials needs --auth-scheme');
  const authentication = authScheme && { scheme: authScheme, ...(authCredentials && { credentials: authCredentials }) };
  return { taskId, ...flags, ...(authentication && { authentication }) };
}

function configText({ id, taskId, url }: PushConfig): string {
  return field('Push-Config', id) + field('Task', taskId) + field('Url', url);
}
