import type { Message, Task } from '@switchyard/protocol';
import { until } from '../../../tests/support/until.ts';
import { checkScenario, compareFolded, compareLossy, compareWatched } from './check-scenario.ts';
import type { PushReceiver } from './push-receiver.ts';
import type { ResilientClient } from './resilient-client.ts';
import { CONFIDENTIAL, type Scenario } from './scenario.ts';
import type { Violation } from './violations.ts';
import { watchOverGrpc } from './watch-over-grpc.ts';
import { type Watched, watchTask } from './watch-task.ts';

export interface Played {
  readonly violations: readonly Violation[];
  /** Streams that broke and were resumed. */
  readonly resumed: number;
}

export interface PlayOptions {
  /** Where webhooks go, and who notes them. */
  readonly pushes?: Pushes | undefined;
  /** See `watchTask`. */
  readonly mayLoseEvents?: boolean;
  /** Asked before it answers a question or cancels, and at last when it has sent all: it waits until that resolves. */
  readonly goOn?: () => Promise<void>;
  /** Called as soon as the client has seen the end of its task. */
  readonly onEnded?: (taskId: string) => void;
}

export interface Pushes {
  readonly url: string;
  readonly receiver: PushReceiver;
}

const END_WITHIN_MS = 90_000;

/** Plays the client of one scenario to its end, then checks the task. Never throws. */
export async function playScenario(
  client: ResilientClient,
  scenario: Scenario,
  options: PlayOptions = {},
): Promise<Played> {
  const { pushes, mayLoseEvents = false, onEnded } = options;
  try {
    const { taskId, watched, overGrpc } = await send(client, scenario, options);
    const before = await client.ended(taskId, END_WITHIN_MS);
    if (!mayLoseEvents) onEnded?.(taskId);
    const seen = await watched;
    const replayed = await watchTask(client, taskId, { mayLoseEvents });
    // What had ended may run again after a fail-over that lost its end.
    const task = mayLoseEvents ? await client.ended(taskId, END_WITHIN_MS) : before;
    const unlike = seen ? (mayLoseEvents ? compareLossy : compareWatched)(seen, replayed) : [];
    const unpushed = scenario.isPushed
      ? await pushes?.receiver.problemsOf(taskId, replayed.events.size, mayLoseEvents)
      : [];
    const violations = [
      ...checkScenario(scenario, task, replayed, mayLoseEvents),
      ...unlike,
      ...(unpushed ?? []).map((what): Violation => ({ kind: 'pushes', what })),
      ...compareFolded(await overGrpc, task),
    ];
    return { violations, resumed: seen?.resumed ?? 0 };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return { violations: [{ kind: 'lost', what: `${scenario.kind} ${scenario.key}: ${error}${cause}` }], resumed: 0 };
  }
}

interface Sent {
  readonly taskId: string;
  readonly watched: Promise<Watched> | undefined;
  /** The task as its events over gRPC add up. */
  readonly overGrpc: Promise<Task | undefined> | undefined;
}

async function send(
  client: ResilientClient,
  scenario: Scenario,
  { pushes, mayLoseEvents, goOn = async () => undefined }: PlayOptions,
): Promise<Sent> {
  let task: Task | undefined;
  let watched: Promise<Watched> | undefined;
  let overGrpc: Promise<Task | undefined> | undefined;
  for (const turn of scenario.texts.keys()) {
    if (task) await goOn();
    task = await say(client, scenario, { turn, task, webhook: pushes?.url });
    if (scenario.watches === 'sse') watched ??= watchTask(client, task.id, { mayLoseEvents: mayLoseEvents ?? false });
    if (scenario.watches === 'grpc') overGrpc ??= watchOverGrpc(client, task.id);
  }
  await goOn();
  const taskId = task?.id ?? '';
  if (scenario.isCanceled) await cancel(client, taskId);
  return { taskId, watched, overGrpc };
}

interface Said {
  readonly turn: number;
  readonly task: Task | undefined;
  readonly webhook: string | undefined;
}

async function say(client: ResilientClient, scenario: Scenario, { turn, task, webhook }: Said): Promise<Task> {
  const message = messageOf(scenario, turn, task);
  // One that is asked back waits for the question; of the others the caller learns the end by other ways.
  const isTalk = scenario.kind === 'talk';
  const answered = await client.send(message, !isTalk, scenario.isPushed && !task ? webhook : undefined);
  return isTalk && turn < scenario.texts.length - 1 ? asked(client, answered) : answered;
}

function messageOf({ key, texts }: Scenario, turn: number, task: Task | undefined): Message {
  const ids = task && { taskId: task.id, ...(task.contextId !== undefined && { contextId: task.contextId }) };
  const metadata = { note: CONFIDENTIAL };
  return { messageId: `${key}-${turn}`, role: 'ROLE_USER', parts: [{ text: texts[turn] ?? '' }], metadata, ...ids };
}

/** A blocking call answers the task as it is when its time is up, or when its gateway stops. */
function asked(client: ResilientClient, { id }: Task): Promise<Task> {
  return until(
    async () => {
      const task = await client.read(id);
      return task.status.state === 'TASK_STATE_INPUT_REQUIRED' && task;
    },
    { what: `${id} asks back`, timeoutMs: END_WITHIN_MS, everyMs: 50 },
  );
}

async function cancel(client: ResilientClient, taskId: string): Promise<void> {
  const isWorking = async (): Promise<boolean> => (await client.read(taskId)).status.state === 'TASK_STATE_WORKING';
  await until(isWorking, { what: `${taskId} works`, timeoutMs: END_WITHIN_MS, everyMs: 50 });
  await client.cancel(taskId);
}
