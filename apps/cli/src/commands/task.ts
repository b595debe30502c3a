import { filesUri } from '@switchyard/protocol';
import { quoted } from '@switchyard/settings/terminal';
import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { offers } from '../agent/extensions.ts';
import { isSettled, isTerminal, type StreamResponse, stateOf, type Task } from '../agent/objects.ts';
import { eventsUntilSettled, pollUntilEnded, pollUntilSettled } from '../agent/wait.ts';
import { agentsWait, type Wait } from '../agent/wait-notices.ts';
import { CommandFailure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import { costOf, historyText, taskText } from '../output/task-text.ts';
import { type Done, withEachId } from '../session/each-id.ts';
import {
  type AgentSession,
  continued,
  detailOf,
  type Invocation,
  optionsText,
  showWait,
  waitingOf,
  warnOfOutcome,
  withAgent,
} from '../session/session.ts';
import { countOf } from '../settings/options.ts';
import { download } from './download.ts';
import { exitStatusText, requireCompleted } from './exit-status.ts';
import { noteOfSchedule, startOf } from './scheduled.ts';
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
    .option('--history <n>', 'include the last n messages', countOf('--history'))
    .option('--exit-status', exitStatusText)
    .action((id: string, { history, exitStatus }: { history?: number; exitStatus?: boolean }, command: Command) =>
      withAgent(invocation, command, async (session, agent) => {
        const task = await get(session, agent, { id, history });
        if (exitStatus) requireCompleted(task);
      }),
    );
  task
    .command('list')
    .description('list your tasks, latest first')
    .option('--status <state>', `only tasks in this state: ${states.join(', ')}`, stateIn)
    .option('--page-size <n>', 'tasks per page', countOf('--page-size'))
    .option('--page-token <token>', 'the next-page token of the previous page')
    .option('--history <n>', 'include the last n messages of each', countOf('--history'))
    .action((filter: ListFlags, command: Command) =>
      withAgent(invocation, command, (session, agent) => list(session, agent, filter)),
    );
  task
    .command('cancel')
    .description('cancel tasks; with --wait until they have ended')
    .argument('<taskIds...>')
    .action((ids: string[], _, command: Command) =>
      withAgent(invocation, command, (session, agent) =>
        withEachId(session, { ids, act: (id) => cancel(session, agent, id) }),
      ),
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
    .description('save the artifacts of a task, and the files in messages of its agent')
    .argument('<taskId>')
    .option('--dir <folder>', 'the target folder', '.')
    .option('--artifact <id>', 'only this one')
    .option('--force', 'overwrite existing files')
    .option('--max-size <MiB>', 'the largest file to fetch from a URL (default: 1024)', countOf('--max-size'))
    .action((id: string, flags: DownloadFlags, command: Command) =>
      withAgent(invocation, command, (session, agent) => saveArtifacts(session, agent, { id, ...flags })),
    );
}

interface DownloadFlags {
  readonly dir: string;
  readonly artifact?: string;
  readonly force?: boolean;
  readonly maxSize?: number;
}

/** @throws {CommandFailure} also if only some files could be saved */
async function saveArtifacts(
  { output, call }: AgentSession,
  agent: Agent,
  { id, maxSize, ...flags }: DownloadFlags & { readonly id: string },
): Promise<void> {
  const { signal } = call;
  const { openGateway } = await import('../agent/gateway.ts');
  const gateway = offers(agent.card, filesUri) ? await openGateway(call) : undefined;
  const { files, failed } = await download(await agent.getTask(id), {
    ...flags,
    gateway,
    ...(maxSize !== undefined && { maxBytes: maxSize * 2 ** 20 }),
    signal,
    onProgress: (text) => output.note(text),
  });
  output.result({ files, failed }, () => files.map((file) => field('Saved', file)).join(''));
  if (failed.length === 0) return;
  for (const { name, reason } of failed) output.note(`warning: ${name} was not saved: ${reason}`);
  throw new CommandFailure('SWITCHYARD_ERR_INCOMPLETE', `${failed.length} files were not saved`, { isReported: true });
}

async function get(
  session: AgentSession,
  agent: Agent,
  { id, history }: { readonly id: string; readonly history: number | undefined },
): Promise<Task> {
  const task = session.options.wait
    ? await pollUntilSettled(id, waitingOf(session, agent), history)
    : await agent.getTask(id, { historyLength: history });
  shown(session, task, history !== undefined);
  return task;
}

/** An agent need not stop at once: then the task is still open, and what it waits for is said. */
async function cancel(session: AgentSession, agent: Agent, id: string): Promise<Done> {
  const canceled = await agent.cancelTask(id, session.options.metadata);
  const isOpen = !isTerminal(stateOf(canceled));
  const show = (open: Task, wait: Wait): void => showWait(session, open, { ...wait, isCanceled: true });
  const waiting = { ...waitingOf(session, agent), onWait: show };
  const task = isOpen && session.options.wait ? await pollUntilEnded(id, waiting) : canceled;
  const note = await noteOfSchedule(agent, task);
  if (note) session.output.note(note);
  const done = { json: task, text: taskText(task, detailOf(session)) };
  if (isTerminal(stateOf(task))) return done;
  const text = 'The cancel is accepted; the task ends when its agent stops.';
  show(task, agentsWait(task) ?? { reason: 'cancel', text });
  session.output.note(`Wait for its end: ${continued(session, 'task cancel')} --wait ${quoted(id)}`);
  return done;
}

function shown(session: AgentSession, task: Task, withHistory = false): void {
  const detail = detailOf(session);
  session.output.result(task, () => {
    const text = taskText(task, detail);
    return withHistory && !detail.isVerbose ? text + historyText(task) : text;
  });
  warnOfOutcome(session, task);
}

async function subscribe(session: AgentSession, agent: Agent, id: string): Promise<void> {
  if (!agent.can('streaming'))
    throw new CommandFailure('UnsupportedOperationError', 'The agent has no streams', {
      hint: `${continued(session, 'task get')} --wait ${quoted(id)}`,
    });
  const events = eventsUntilSettled(agent.subscribe(id), waitingOf(session, agent));
  if (session.options.stream || !session.output.isJson) return void (await followed(session, events));
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

async function list(session: AgentSession, agent: Agent, flags: ListFlags): Promise<void> {
  const { history, ...filter } = flags;
  const { options, output } = session;
  const query = { ...filter, historyLength: history, contextId: options.contextId };
  const page = await agent.listTasks(JSON.parse(JSON.stringify(query)));
  const { tasks, nextPageToken } = page;
  if (options.stream && output.isJson) {
    for (const task of tasks) output.result(task, () => '');
    return;
  }
  output.result(page, () => {
    const starts = tasks.map(startOf);
    const costs = tasks.map(costOf);
    const columns = ['TASK', 'CONTEXT', 'STATE', 'UPDATED'];
    if (costs.some(Boolean)) columns.push('COST');
    if (starts.some(Boolean)) columns.push('STARTS');
    const rows = tasks.map((task, i) => [
      task.id ?? '',
      task.contextId ?? '',
      stateOf(task),
      task.status?.timestamp ?? '',
      ...(costs.some(Boolean) ? [costs[i] ?? ''] : []),
      starts[i] ?? '',
    ]);
    const next = nextPageToken && nextPage(session, { ...flags, pageToken: nextPageToken });
    const text = tasks.map((task) => taskText(task, { isVerbose: true })).join('\n');
    return (options.verbose ? text : table(columns, rows)) + field('Next', next);
  });
}

/** The command for the next page of the same list. */
function nextPage(session: AgentSession, { status, pageSize, pageToken, history }: ListFlags): string {
  const { contextId } = session.options;
  const page = { 'context-id': contextId, status, 'page-size': pageSize, history, 'page-token': pageToken };
  return `${continued(session, 'task list')}${optionsText(page)}`;
}

/** @throws {CommandFailure} */
function stateIn(text: string): string {
  const state = text
    .toLowerCase()
    .replace(/^task_state_/, '')
    .replaceAll('_', '-');
  if (states.includes(state)) return `TASK_STATE_${state.replaceAll('-', '_').toUpperCase()}`;
  throw new CommandFailure('A2ACLI_ERR_USAGE', `--status ${text}: there are ${states.join(', ')}`);
}
