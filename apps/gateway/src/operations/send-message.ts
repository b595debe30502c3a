import { fold, isTerminal, type SendMessageRequest, type StreamResponse, type Task } from '@switchyard/protocol';
import { type FeedItem, type Json, type PreSubscription, taskItem, wrapped } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { type Accepted, acceptMessage, presubscribe, readExtensions } from './accept-message.ts';
import { awaitItem } from './await-item.ts';
import { type Backend, taskNotFound } from './backend.ts';
import type { ConditionalSend } from './if-generation.ts';
import { plainMessageOf } from './message-answer.ts';
import type { UnaryResult } from './operation.ts';

/**
 * A2A 3.1.1. Immediate, and whenever the task begins later: answers with the accepted task. Blocking: waits until the
 * agent ends the turn, asks for input or acknowledges the message; when the time is over, answers with the current task.
 */
export async function sendMessage(backend: Backend, call: Call, sent: ConditionalSend): Promise<UnaryResult> {
  const { request, steps, schedule } = await readExtensions(backend, call, sent);
  const historyLength = request.configuration?.historyLength;
  if (schedule || isImmediate(backend, call, request)) {
    const { taskId, task, seq } = await acceptMessage(backend, call, request, { steps, schedule });
    return task === undefined ? readResult(backend, call, taskId, historyLength) : taskResult(task, seq);
  }
  using preSubscription = presubscribe(backend, call, request);
  const accepted = await acceptMessage(backend, call, request, {
    preSubscription,
    webhookHoldMs: backend.settings.blockingWaitMs,
    isAwaited: true,
    steps,
  });
  const projection = new TaskProjection(accepted);
  const isQuick = wantsImmediate(backend.settings, request.configuration);
  const last = await awaitLastItem(backend, call, { accepted, preSubscription, projection, isQuick });
  if (last?.isPlainMessage && accepted.number === 1) {
    if (last.kind === 'event') await backend.tasks.withdraw(call.scope, accepted.taskId);
    return messageResult(last);
  }
  // From here on the caller has a task, unless its agent has just answered with a message.
  if (!last && call.agent.repliesWithMessage) await backend.tasks.reveal(call.scope, accepted.taskId);
  const completed = last && projection.completed(historyLength);
  if (last === undefined || completed === undefined) return readResult(backend, call, accepted.taskId, historyLength);
  return taskResult(completed, last.seq);
}

/** The current task; for a retry possibly the message that was the first answer. */
async function readResult(backend: Backend, call: Call, taskId: string, historyLength?: number): Promise<UnaryResult> {
  const reading = await backend.tasks.read(call.scope, taskId, { historyLength });
  if (!reading?.task) throw taskNotFound(taskId);
  const { task, seq } = reading;
  return reading.isWithdrawn ? messageResult(taskItem(reading, task)) : taskResult(task, seq);
}

const messageResult = (item: FeedItem): UnaryResult => ({ json: `{"message":${plainMessageOf(item)}}` });

const taskResult = (task: Json, seq: number): UnaryResult => ({ json: wrapped(task, '{"task":', '}'), seq });

/**
 * The caller must wait for an agent that may answer with a message: `returnImmediately` only concerns tasks (A2A
 * 3.2.2).
 */
function isImmediate({ settings }: Backend, { agent }: Call, { configuration }: SendMessageRequest): boolean {
  return !agent.repliesWithMessage && wantsImmediate(settings, configuration);
}

function wantsImmediate(
  { sendMode }: Backend['settings'],
  configuration: SendMessageRequest['configuration'],
): boolean {
  return configuration?.returnImmediately ?? sendMode === 'immediate';
}

interface Wait {
  readonly accepted: Accepted;
  readonly preSubscription: PreSubscription | undefined;
  readonly projection: TaskProjection;
  /** Waits for the agent's first event only. */
  readonly isQuick: boolean;
}

/** The item that ends the wait; undefined: the time is over. */
function awaitLastItem(
  backend: Backend,
  call: Call,
  { accepted, preSubscription, projection, isQuick }: Wait,
): Promise<FeedItem | undefined> {
  const { taskId, number, seq, incarnation, isDuplicate } = accepted;
  return awaitItem(backend, call, {
    taskId,
    // The message of a retry may already be answered: the snapshot shows it.
    after: isDuplicate ? undefined : { seq, incarnation },
    preSubscription,
    waitMs: backend.settings.blockingWaitMs,
    until(item) {
      projection.apply(item);
      // The agent's first event shows that it answers with a task.
      if (isQuick && item.kind === 'event') return true;
      return endsWait(item, number, backend.settings.acknowledgedIsAnswered);
    },
  });
}

function endsWait({ state, answered }: FeedItem, number: number, acknowledgedIsAnswered: boolean): boolean {
  if (isTerminal(state) || state === 'TASK_STATE_AUTH_REQUIRED') return true;
  return answered >= number && (acknowledgedIsAnswered || state === 'TASK_STATE_INPUT_REQUIRED');
}

/** A task with more events is read instead of folded. */
const MAX_EVENTS = 16;

/** Folds the events of a new task: if the task completes soon, it need not be read. */
class TaskProjection {
  readonly #accepted: Accepted;
  readonly #events: FeedItem[] = [];
  #isWhole: boolean;

  constructor(accepted: Accepted) {
    this.#accepted = accepted;
    this.#isWhole = accepted.isNew;
  }

  apply(item: FeedItem): void {
    this.#isWhole &&= item.kind === 'event' && this.#events.length < MAX_EVENTS;
    if (this.#isWhole) this.#events.push(item);
  }

  /**
   * JSON of the task if its first message completed it. Otherwise a later message, which is in the history without an
   * event, may be missing.
   */
  completed(historyLength = Number.POSITIVE_INFINITY): string | undefined {
    const last = this.#events.at(-1);
    if (!this.#isWhole || last?.state !== 'TASK_STATE_COMPLETED' || last.answered !== 1) return undefined;
    const accepted: Task = JSON.parse(this.#accepted.task ?? '');
    const events = this.#events.map(({ json }): StreamResponse => JSON.parse(json.toString()));
    const { history = [], ...task } = events.reduce((before, event) => fold(before, event), accepted);
    const shown = historyLength === 0 ? [] : history.slice(-historyLength);
    return JSON.stringify(shown.length > 0 ? { ...task, history: shown } : task);
  }
}
