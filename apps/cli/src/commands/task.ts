import { quoted } from '@switchyard/settings/quoted';
import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { isSettled, type StreamResponse, stateOf, type Task } from '../agent/objects.ts';
import { eventsUntilSettled, pollUntilSettled } from '../agent/wait.ts';
import { Failure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import { historyText, taskText } from '../output/task-text.ts';
import {
  continued,
  detailOf,
  type Invocation,
  optionsText,
  type Session,
  waitingOf,
  warnOfOutcome,
  withAgent,
} from '../session/session.ts';
import { download } from './download.ts';
import { followed } from './send.ts';

const states = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
];

export function addTaskCommands(program: Command, invocation: Invocation): void {
  const task = program.command('task').description('get, list, cancel and follow tasks');
  task
    .command('get')
    .description('show a task; with --wait once it ends or needs you')
    .argument('<taskId>')
    .option('--history <n>', 'include the last n messages', countIn)
    .action((id: string, { history }: { history?: number }, command: Command) =>
      withAgent(invocation, command, (session, agent) => get(session, agent, { id, history })),
    );
  task
    .command('list')
    .description('list your tasks, latest first')
    .option('--status <state>', `only tasks in this state: ${states.join(', ')}`, stateIn)
    .option('--page-size <n>', 'tasks per page', countIn)
    .option('--page-token <token>', 'the next-page token of the previous page')
    .option('--history <n>', 'include the last n messages of each', countIn)
    .action((filter: ListFlags, command: Command) =>
      withAgent(invocation, command, (session, agent) => list(session, agent, filter)),
    );
  task
    .command('cancel')
    .description('cancel a task')
    .argument('<taskId>')
    .action((id: string, _, command: Command) =>
      withAgent(invocation, command, async (session, agent) => {
        const task = await agent.cancelTask(id, session.options.metadata);
        session.output.result(task, () => taskText(task, detailOf(session)));
      }),
    );
  task
    .command('subscribe')
    .description('follow a task from now until it ends or needs you')
    .argument('<taskId>')
    .action((id: string, _, command: Command) =>
      withAgent(invocation, command, (session, agent) => subscribe(session, agent, id)),
    );
  task
    .command('download')
    .description('save the artifacts of a task as files')
    .argument('<taskId>')
    .option('--dir <folder>', 'the target folder', '.')
    .option('--artifact <id>', 'only this one')
    .option('--force', 'overwrite existing files')
    .action((id: string, flags: { dir: string; artifact?: string; force?: boolean }, command: Command) =>
      withAgent(invocation, command, async ({ output, call: { signal } }, agent) => {
        const files = await download(await agent.getTask(id), { ...flags, signal });
        output.result({ files }, () => files.map((file) => field('Saved', file)).join(''));
      }),
    );
}

async function get(
  session: Session,
  agent: Agent,
  { id, history }: { readonly id: string; readonly history: number | undefined },
): Promise<void> {
  const task = session.options.wait
    ? await pollUntilSettled(id, waitingOf(session, agent), history)
    : await agent.getTask(id, history);
  shown(session, task, history !== undefined);
}

function shown(session: Session, task: Task, withHistory = false): void {
  const detail = detailOf(session);
  session.output.result(task, () => {
    const text = taskText(task, detail);
    return withHistory && !detail.isVerbose ? text + historyText(task) : text;
  });
  warnOfOutcome(session, task);
}

async function subscribe(session: Session, agent: Agent, id: string): Promise<void> {
  if (!agent.can('streaming'))
    throw new Failure('UnsupportedOperationError', 'The agent has no streams', {
      hint: `${continued(session, 'task get')} --wait ${quoted(id)}`,
    });
  const events = eventsUntilSettled(agent.subscribe(id), waitingOf(session, agent));
  if (session.options.stream || !session.output.isJson) return followed(session, events);
  let last: StreamResponse = {};
  for await (const event of events) last = event;
  shown(session, last.task && isSettled(stateOf(last.task)) ? last.task : await agent.getTask(id));
}

interface ListFlags {
  readonly status?: string;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly history?: number;
}

async function list(session: Session, agent: Agent, flags: ListFlags): Promise<void> {
  const { history, ...filter } = flags;
  const { options, output } = session;
  const query = { ...filter, historyLength: history, contextId: options.contextId };
  const page = await agent.listTasks(JSON.parse(JSON.stringify(query)));
  const { tasks = [], nextPageToken } = page;
  if (options.stream && output.isJson) {
    for (const task of tasks) output.result(task, () => '');
    return;
  }
  output.result(page, () => {
    const rows = tasks.map((task) => [
      task.id ?? '',
      task.contextId ?? '',
      stateOf(task),
      task.status?.timestamp ?? '',
    ]);
    const next = nextPageToken && nextPage(session, { ...flags, pageToken: nextPageToken });
    const text = tasks.map((task) => taskText(task, { isVerbose: true })).join('\n');
    return (options.verbose ? text : table(['TASK', 'CONTEXT', 'STATE', 'UPDATED'], rows)) + field('Next', next);
  });
}

/** The command for the next page of the same list. */
function nextPage(session: Session, { status, pageSize, pageToken, history }: ListFlags): string {
  const { contextId } = session.options;
  const page = { 'context-id': contextId, status, 'page-size': pageSize, history, 'page-token': pageToken };
  return `${continued(session, 'task list')}${optionsText(page)}`;
}

/** @throws {Failure} */
function countIn(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Failure('A2ACLI_ERR_USAGE', `${text} is not a whole number`);
}

/** @throws {Failure} */
function stateIn(text: string): string {
  const state = text
    .toLowerCase()
    .replace(/^task_state_/, '')
    .replaceAll('_', '-');
  if (states.includes(state)) return `TASK_STATE_${state.replaceAll('-', '_').toUpperCase()}`;
  throw new Failure('A2ACLI_ERR_USAGE', `--status ${text}: there are ${states.join(', ')}`);
}
