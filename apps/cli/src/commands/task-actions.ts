import type { Command } from 'commander';
import type { EventFlags, RerunFlags } from '../operator/task-actions.ts';
import type { Invocation } from '../session/session.ts';

const help = '\nFor operators, of tasks of all clients. Address and key: switchyard queue --help.';

/** `task delete`, `task event` and `task rerun`. What they call is loaded when they run: other commands for tasks do without it. */
export function addTaskActions(program: Command, invocation: Invocation): void {
  const task = program.commands.find((command) => command.name() === 'task') ?? program.command('task');
  task
    .command('delete')
    .description('delete ended tasks with everything that belongs to them')
    .argument('<taskIds...>')
    .addHelpText('after', help)
    .action(async (ids: string[], _, command: Command) => {
      const { deleteTasks } = await import('../operator/task-actions.ts');
      await deleteTasks(invocation, command, ids);
    });
  task
    .command('event')
    .description('give a waiting task an event, such as an approval')
    .argument('<taskId>')
    .argument('<name>', 'of the event: see why')
    .argument('[data]', 'JSON: \'{"by":"Ann"}\'; default: {}')
    .option('--id <id>', 'give it once under this id, even if the command is repeated')
    .addHelpText('after', help)
    .action(async (id: string, name: string, data: string | undefined, flags: EventFlags, command: Command) => {
      const { giveEvent } = await import('../operator/task-actions.ts');
      await giveEvent(invocation, command, { id, name, data, eventId: flags.id });
    });
  task
    .command('rerun')
    .description('send the first message of ended tasks again, as new tasks')
    .argument('<taskIds...>')
    .option('--from-step <name>', 'reuse the results of the steps before this one')
    .option('--text <text>', 'another text instead of the message')
    .addHelpText('after', help)
    .action(async (ids: string[], flags: RerunFlags, command: Command) => {
      const { rerunTasks } = await import('../operator/task-actions.ts');
      await rerunTasks(invocation, command, { ids, ...flags });
    });
}
