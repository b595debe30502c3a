import { randomUUID } from 'node:crypto';
import { acceptedTypes, filesUri, mediaRangesMeet, priorities, priorityUri, timeToLiveUri } from '@switchyard/protocol';
import { type Command, Option } from 'commander';
import type { Agent } from '../agent/agent.ts';
import type { Card } from '../agent/card.ts';
import { offers } from '../agent/extensions.ts';
import {
  isSettled,
  type Part,
  type SendMessageResponse,
  type StreamResponse,
  stateOf,
  type Task,
} from '../agent/objects.ts';
import { eventsUntilSettled, pollUntilSettled, type WaitContext } from '../agent/wait.ts';
import { agentsWait } from '../agent/wait-notices.ts';
import { CommandFailure } from '../failures/failure.ts';
import { EventText } from '../output/event-text.ts';
import { field } from '../output/labelled-text.ts';
import { idsText, responseText } from '../output/task-text.ts';
import {
  type AgentSession,
  continued,
  detailOf,
  type Invocation,
  showWait,
  waitingOf,
  warnOfOutcome,
  withAgent,
} from '../session/session.ts';
import { type CliOptions, countOf } from '../settings/options.ts';
import { exitStatusText, requireCompleted } from './exit-status.ts';
import { type LargeFile, TypedParts } from './parts.ts';
import { type ScheduleFlags, scheduleOf } from './schedule.ts';
import { Sending } from './sending.ts';

interface SendFlags extends ScheduleFlags {
  readonly messageId?: string;
  readonly exitStatus?: boolean;
  readonly priority?: string;
  readonly ttl?: number;
}

export function addSendCommand(program: Command, invocation: Invocation): void {
  const parts = new TypedParts();
  program
    .command('send')
    .description('send a message and wait for the outcome')
    .argument('[message]', 'text; flags add more parts, in their order')
    .option('--text <text>', 'a text part; repeatable', (text) => parts.add('text', text))
    .option('--file <path|url>', 'a file part: a path to upload, or a URL', (path) => parts.add('file', path))
    .option('--data <json|path|->', 'a JSON part: the object or list itself, a file, or stdin', (data) =>
      parts.add('data', data),
    )
    .option('--media-type <type>', 'the media type of the preceding part', (type) => parts.setMediaType(type))
    .option('--message-id <id>', 'the id of the message (default: a new one); sent again, it gets the first answer')
    .option('--exit-status', exitStatusText)
    .addOption(new Option('--priority <priority>', 'with which it waits for a worker').choices(priorities))
    .option('--ttl <seconds>', 'within which a worker must begin it, or it is rejected', countOf('--ttl'))
    .option(
      '--at <time>',
      'work on it at this time: "tomorrow 9:00", 2030-01-31T09:00, +2h; prints the task, which waits',
    )
    .option('--cron <expression>', 'work on it repeatedly, such as "0 9 * * MON-FRI"; prints the first task')
    .option('--time-zone <zone>', 'of --cron (default: UTC)')
    .option('--until <time>', 'the end of --cron')
    .option('--times <n>', 'the number of tasks of --cron', countOf('--times'))
    .action((text: string | undefined, flags: SendFlags, command: Command) =>
      withAgent(invocation, command, async (session, agent) => {
        const upload = offers(agent.card, filesUri) ? (file: LargeFile) => uploadWith(session, agent, file) : undefined;
        const content = [
          ...(text === undefined ? [] : [{ text }]),
          ...(await parts.read({ stdin: invocation.stdin, upload, note: (note) => session.output.note(note) })),
        ];
        if (content.length === 0)
          throw new CommandFailure('A2ACLI_ERR_USAGE', 'There is nothing to send', {
            hint: `${continued(session, 'send')} ${session.content}`,
          });
        const { request, notes } = requestOf(content, session.options, flags);
        for (const note of notes) session.output.note(note);
        const task = await send(session, agent, request);
        if (flags.exitStatus) requireCompleted(task);
      }),
    );
}

async function uploadWith({ call, output }: AgentSession, { card }: Agent, file: LargeFile): Promise<Part> {
  requireAccepted(card, file);
  // Few messages have one.
  const [{ openGateway }, { upload }] = await Promise.all([import('../agent/gateway.ts'), import('./upload.ts')]);
  const gateway = await openGateway(call);
  return upload(file, { gateway, signal: call.signal, onProgress: (text) => output.note(text) });
}

/** A gateway takes any file, and the message with it would be refused. @throws {CommandFailure} */
function requireAccepted({ defaultInputModes = [], skills = [], capabilities }: Card, file: LargeFile): void {
  const { path, mediaType } = file;
  const accepted = acceptedTypes({ defaultInputModes, skills });
  // The extended card may have more types.
  if (accepted.length === 0 || capabilities?.extendedAgentCard) return;
  if (accepted.some((each) => mediaRangesMeet(each, mediaType))) return;
  const reason = `the agent does not accept ${mediaType}; it accepts ${accepted.join(', ')}`;
  throw new CommandFailure('ContentTypeNotSupportedError', `${path} is not uploaded: ${reason}`, {
    hint: 'If the file has one of these types, give it with --media-type.',
  });
}

interface Request {
  readonly message: { readonly messageId: string; readonly taskId?: string };
  readonly configuration: object;
  /** Its task waits for a time. */
  readonly isScheduled: boolean;
  /** URIs of the extensions that it uses. */
  readonly extensions: readonly string[];
}

type Exchanged = Omit<Request, 'isScheduled' | 'extensions'> & Partial<Pick<Request, 'extensions'>>;

function requestOf(parts: readonly object[], options: CliOptions, flags: SendFlags) {
  const { taskId, contextId, metadata: given, async: isAsync, stream } = options;
  const { messageId = randomUUID() } = flags;
  if (messageId === '') throw new CommandFailure('A2ACLI_ERR_USAGE', '--message-id must not be empty');
  const schedule = scheduleOf(flags, new Date());
  const { priority, ttl } = flags;
  const asked = {
    ...schedule?.metadata,
    ...(priority !== undefined && { [priorityUri]: { priority } }),
    ...(ttl !== undefined && { [timeToLiveUri]: { ttlMs: ttl * 1_000 } }),
  };
  const extensions = Object.keys(asked);
  const metadata = extensions.length > 0 ? { ...given, ...asked } : given;
  const ids = { ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) };
  const request = {
    message: { messageId, role: 'ROLE_USER', parts, ...ids, ...(metadata && { metadata }) },
    ...(given && { metadata: given }),
    isScheduled: schedule !== undefined,
    extensions,
    configuration: isAsync && !stream ? { returnImmediately: true } : {},
  };
  return { request, notes: schedule?.notes ?? [] };
}

/** @returns the task as it was last; undefined: the agent has answered with a message */
async function send(session: AgentSession, agent: Agent, request: Request): Promise<Task | undefined> {
  const { options } = session;
  const sending = new Sending(session, agent, request.message.messageId);
  const waiting: WaitContext = { ...waitingOf(session, agent), onTask: (task) => sending.learn(task) };
  try {
    if (request.isScheduled || (options.async && !options.stream))
      return sent(session, await agent.send(request, request.extensions));
    const events = exchange(agent, request, waiting);
    if (options.stream) return await followed(session, events);
    return sent(session, await lastOf(events, agent));
  } catch (error) {
    throw sending.explained(error);
  } finally {
    sending.sayThatItGoesOn();
  }
}

/** An agent's events until the task ends or needs an answer. */
export function exchange(agent: Agent, request: Exchanged, waiting: WaitContext): AsyncIterable<StreamResponse> {
  const { extensions } = request;
  if (!agent.can('streaming')) return once(agent, request, waiting);
  const repeat = agent.knowsMessageIds ? () => agent.send(immediately(request), extensions) : undefined;
  const isReply = request.message.taskId !== undefined;
  return eventsUntilSettled(agent.stream(request, extensions), waiting, { isReply, repeat });
}

const immediately = (request: Pick<Request, 'configuration'>) => ({
  ...request,
  configuration: { ...request.configuration, returnImmediately: true },
});

/** An agent without streaming: its answer, at once so that the task's id is known; then polling until it ends. */
async function* once(agent: Agent, request: Exchanged, waiting: WaitContext): AsyncGenerator<StreamResponse> {
  const response = await agent.send(immediately(request), request.extensions);
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
  throw streamWithoutTask();
}

function sent(session: AgentSession, response: SendMessageResponse): Task | undefined {
  const { task } = response;
  session.output.result(response, () => responseText(response, detailOf(session)));
  if (task) warnOfOutcome(session, task);
  const wait = task && session.options.async ? agentsWait(task) : undefined;
  if (task && wait?.isStuck) showWait(session, task, wait);
  return task;
}

/**
 * Prints each event as it comes; as text, the last one repeats ids and state.
 * @returns the task after its last event; undefined: the agent has answered with a message. @throws {CommandFailure}
 */
export async function followed(
  session: AgentSession,
  events: AsyncIterable<StreamResponse>,
): Promise<Task | undefined> {
  const { output } = session;
  const text = new EventText(detailOf(session));
  let latest: Task = {};
  let isMessage = false;
  for await (const event of events) {
    latest = taskAfter(event, latest);
    isMessage ||= event.message !== undefined;
    output.result(event, () => text.of(event, latest));
  }
  output.text(text.end());
  if (latest.id === undefined && !isMessage) throw streamWithoutTask();
  if (latest.id === undefined) return undefined;
  output.text(idsText(latest) + field('Next', detailOf(session).next?.(latest)));
  warnOfOutcome(session, latest);
  return latest;
}

function streamWithoutTask(): CommandFailure {
  return new CommandFailure('InvalidAgentResponseError', 'The agent’s stream ended without a task or a message');
}

/** Its ids and state. */
function taskAfter({ task, statusUpdate, artifactUpdate }: StreamResponse, before: Task): Task {
  if (task) return task;
  const { taskId = before.id, contextId = before.contextId } = statusUpdate ?? artifactUpdate ?? {};
  const status = statusUpdate?.status ?? before.status;
  return { ...(taskId && { id: taskId }), ...(contextId && { contextId }), ...(status && { status }) };
}
