import { randomUUID } from 'node:crypto';
import { scheduleUri } from '@switchyard/protocol';
import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { isSettled, type SendMessageResponse, type StreamResponse, stateOf, type Task } from '../agent/objects.ts';
import { eventsUntilSettled, pollUntilSettled, type WaitContext } from '../agent/wait.ts';
import { Failure } from '../failures/failure.ts';
import { field } from '../output/labelled-text.ts';
import { eventText, idsText, responseText } from '../output/task-text.ts';
import {
  detailOf,
  type Invocation,
  nextCommand,
  type Session,
  waitingOf,
  warnOfOutcome,
  withAgent,
} from '../session/session.ts';
import type { CliOptions } from '../settings/options.ts';
import { TypedParts } from './parts.ts';

export function addSendCommand(program: Command, invocation: Invocation): void {
  const parts = new TypedParts();
  program
    .command('send')
    .description('send a message and wait for the outcome')
    .argument('[message]', 'text; flags add more parts, in their order')
    .option('--text <text>', 'a text part; repeatable', (text) => parts.add('text', text))
    .option('--file <path|url>', 'a file part: a path to upload, or a URL', (path) => parts.add('file', path))
    .option('--data <path|->', 'a JSON part, from a file or stdin', (path) => parts.add('data', path))
    .option('--media-type <type>', 'the media type of the preceding part', (type) => parts.setMediaType(type))
    .option('--at <time>', 'work on it at this time, such as 2030-01-31T09:00:00Z; prints the task, which waits')
    .option('--cron <expression>', 'work on it repeatedly, such as "0 9 * * MON-FRI"; prints the first task')
    .option('--time-zone <zone>', 'of --cron (default: UTC)')
    .action((text: string | undefined, schedule: Schedule, command: Command) =>
      withAgent(invocation, command, async (session, agent) => {
        const content = [...(text === undefined ? [] : [{ text }]), ...(await parts.read(invocation.stdin))];
        if (content.length === 0)
          throw new Failure('A2ACLI_ERR_USAGE', 'There is nothing to send', { hint: 'switchyard send "Hello"' });
        await send(session, agent, requestOf(content, session.options, schedule));
      }),
    );
}

interface Request {
  readonly message: { readonly taskId?: string };
  readonly configuration: object;
  /** Its task waits for a time. */
  readonly isScheduled: boolean;
}

/** When an agent is to work on a message; not set: now. See docs/extensions/schedule.md. */
interface Schedule {
  readonly at?: string;
  readonly cron?: string;
  readonly timeZone?: string;
}

function requestOf(parts: readonly object[], options: CliOptions, { at, cron, timeZone }: Schedule) {
  const { taskId, contextId, metadata: given, async: isAsync, stream } = options;
  const isScheduled = at !== undefined || cron !== undefined;
  if (timeZone !== undefined && cron === undefined) throw new Failure('A2ACLI_ERR_USAGE', '--time-zone is for --cron');
  const metadata = isScheduled ? { ...given, [scheduleUri]: { at, cron, timeZone } } : given;
  const ids = { ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) };
  return {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...ids, ...(metadata && { metadata }) },
    ...(given && { metadata: given }),
    isScheduled,
    configuration: isAsync && !stream ? { returnImmediately: true } : {},
  };
}

async function send(session: Session, agent: Agent, request: Request): Promise<void> {
  const { options, output } = session;
  let known: Parameters<NonNullable<WaitContext['onTask']>>[0] | undefined;
  const waiting: WaitContext = {
    ...waitingOf(session, agent),
    onTask: (task) => {
      known = task;
    },
  };
  try {
    if (request.isScheduled) return sent(session, await agent.send(request, scheduleUri));
    if (options.async && !options.stream) return sent(session, await agent.send(request));
    const events = exchange(agent, request, waiting);
    if (options.stream) return await followed(session, events);
    sent(session, await lastOf(events, agent));
  } catch (error) {
    throw known ? stillThere(error, known, session) : explained(error, options);
  } finally {
    if (known && session.invocation.stopped.aborted) {
      output.note(`\nThe task goes on: ${nextCommand(withoutContext(known), session)}`);
    }
  }
}

/** An agent's events until the task ends or needs an answer. */
export function exchange(
  agent: Agent,
  request: Omit<Request, 'isScheduled'>,
  waiting: WaitContext,
): AsyncIterable<StreamResponse> {
  if (!agent.can('streaming')) return once(agent, request, waiting);
  return eventsUntilSettled(agent.stream(request), waiting, { isReply: request.message.taskId !== undefined });
}

/** An agent without streaming: its answer, and if the task has not ended by then, polling. */
async function* once(
  agent: Agent,
  request: Omit<Request, 'isScheduled'>,
  waiting: WaitContext,
): AsyncGenerator<StreamResponse> {
  const response = await agent.send(request);
  const { task } = response;
  if (!task?.id || isSettled(stateOf(task))) return void (yield response);
  waiting.onTask?.({ id: task.id, contextId: task.contextId });
  yield { task: await pollUntilSettled(task.id, waiting) };
}

/** The result for a waiting caller: the message, or the whole task at the end. */
async function lastOf(events: AsyncIterable<StreamResponse>, agent: Agent): Promise<SendMessageResponse> {
  let last: StreamResponse = {};
  let id: string | undefined;
  for await (const event of events) {
    last = event;
    id = event.task?.id ?? event.statusUpdate?.taskId ?? id;
  }
  if (last.message ?? last.task) return last;
  if (id !== undefined) return { task: await agent.getTask(id) };
  throw new Failure('InvalidAgentResponseError', 'The agent’s stream ended without a task or a message');
}

function sent(session: Session, response: SendMessageResponse): void {
  session.output.result(response, () => responseText(response, detailOf(session)));
  if (response.task) warnOfOutcome(session, response.task);
}

/** Prints each event as it comes; as text, the last one repeats ids and state. */
export async function followed(session: Session, events: AsyncIterable<StreamResponse>): Promise<void> {
  const { output } = session;
  const detail = detailOf(session);
  let latest: Task = {};
  for await (const event of events) {
    latest = taskAfter(event, latest);
    output.result(event, () => eventText(event, latest, detail));
  }
  if (latest.id === undefined) return;
  output.text(idsText(latest) + field('Next', detail.next?.(latest)));
  warnOfOutcome(session, latest);
}

/** Its ids and state. */
function taskAfter({ task, statusUpdate, artifactUpdate }: StreamResponse, before: Task): Task {
  if (task) return task;
  const { taskId = before.id, contextId = before.contextId } = statusUpdate ?? artifactUpdate ?? {};
  const status = statusUpdate?.status ?? before.status;
  return { ...(taskId && { id: taskId }), ...(contextId && { contextId }), ...(status && { status }) };
}

/** A caller that stops waiting must be able to find the task again. */
function stillThere(error: unknown, known: { id: string; contextId: string | undefined }, session: Session): unknown {
  if (!(error instanceof Failure) || error.hint !== undefined) return error;
  const { code, message, a2aCode } = error;
  const text = `${message}. The task is ${known.id}${known.contextId ? ` in context ${known.contextId}` : ''}`;
  return new Failure(code, text, { a2aCode, hint: nextCommand(withoutContext(known), session), cause: error });
}

/** If a given task or context is refused, no other one is created. */
function explained(error: unknown, { taskId, contextId }: CliOptions): unknown {
  if (!(error instanceof Failure) || error.hint !== undefined || (taskId ?? contextId) === undefined) return error;
  const { code, message, a2aCode } = error;
  const hint = 'No task was created. --debug shows what the agent answered.';
  return new Failure(code, message, { a2aCode, hint, cause: error });
}

function withoutContext({ id }: { readonly id: string }): Task {
  return { id, status: { state: 'TASK_STATE_WORKING' } };
}
