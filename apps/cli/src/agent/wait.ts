import { setTimeout as pause } from 'node:timers/promises';
import type { Agent } from './agent.ts';
import { isSettled, isTerminal, type SendMessageResponse, type StreamResponse, stateOf, type Task } from './objects.ts';
import { isLost, StreamReader } from './stream-reader.ts';
import { WaitNotices, type WaitNoticesOptions } from './wait-notices.ts';

export interface WaitContext {
  readonly agent: Agent;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
  /** Called with each task id as it becomes known, for a caller that stops waiting. */
  readonly onTask?: (task: { readonly id: string; readonly contextId: string | undefined }) => void;
  /** Called with what the task waits for, if nothing happens to it. */
  readonly onWait: WaitNoticesOptions['onWait'];
}

const MAX_FAILURES = 5;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;

/** Polls a task until it ends or needs an answer. If the agent is unreachable, it is polled with growing pauses. */
export function pollUntilSettled(id: string, waiting: WaitContext, historyLength?: number): Promise<Task> {
  return poll(id, waiting, { until: isSettled, historyLength });
}

/** The same, also past a question: for a task that is canceled. */
export function pollUntilEnded(id: string, waiting: WaitContext): Promise<Task> {
  return poll(id, waiting, { until: isTerminal });
}

interface Poll {
  readonly until: (state: string) => boolean;
  readonly historyLength?: number | undefined;
}

async function poll(id: string, waiting: WaitContext, { until, historyLength }: Poll): Promise<Task> {
  const { agent, intervalMs, signal, note } = waiting;
  using notices = new WaitNotices(waiting);
  notices.heard(id);
  let before: string | undefined;
  // Most tasks end soon.
  let waitMs = Math.min(FIRST_WAIT_MS, intervalMs);
  for (let failures = 0; ; await sleep(waitMs, signal)) {
    try {
      const task = await agent.getTask(id, { historyLength });
      if (until(stateOf(task))) return task;
      failures = 0;
      waitMs = Math.min(waitMs * 2, intervalMs);
      if (before !== undefined && before !== stateOf(task)) notices.heard(id);
      before = stateOf(task);
    } catch (error) {
      if (!isLost(error) || ++failures >= MAX_FAILURES) throw error;
      waitMs = Math.min(waitMs * 2, Math.max(MAX_WAIT_MS, intervalMs));
      note(`${error.message}; tried again in ${waitMs / 1_000} s`);
    }
  }
}

/**
 * The events of a task until it ends or needs an answer, also after lost connections: then the stream is resumed after
 * its last event; or, if events have no ids, the task is read, and subscribed to again or polled.
 * @param events of the first call
 */
export async function* eventsUntilSettled(
  events: AsyncIterable<StreamResponse>,
  waiting: WaitContext,
  { isReply = false, repeat }: FirstStream = {},
): AsyncGenerator<StreamResponse> {
  using notices = new WaitNotices(waiting);
  const first = new StreamReader(waiting, { isReply, notices, canRepeat: repeat !== undefined });
  yield* first.follow(events);
  if (first.isOver) return;
  if (first.id !== undefined) return yield* resumed(waiting, first, notices);
  const response = await repeat?.();
  if (!response) return;
  const { message, task } = response;
  if (message ?? (task && isSettled(stateOf(task)))) return void (yield response);
  if (task?.id === undefined) return;
  waiting.onTask?.({ id: task.id, contextId: task.contextId });
  yield* resumed(waiting, { id: task.id, lastEventId: undefined }, notices);
}

/** @param broken the stream that broke off, of a task that is known */
async function* resumed(
  waiting: WaitContext,
  broken: { readonly id: string | undefined; readonly lastEventId: string | undefined },
  notices: WaitNotices,
): AsyncGenerator<StreamResponse> {
  const { agent, signal } = waiting;
  let { id, lastEventId } = broken;
  for (let losses = 0, isOver = false; !isOver && id !== undefined; ) {
    if (losses >= MAX_FAILURES) lastEventId = undefined;
    if (lastEventId === undefined) {
      const task = await pollOnce(id, waiting);
      if (isSettled(stateOf(task))) return void (yield { task });
      if (losses >= MAX_FAILURES) return void (yield { task: await pollUntilSettled(id, waiting) });
    }
    await sleep(FIRST_WAIT_MS * 2 ** losses, signal);
    const again = new StreamReader(waiting, { id, lastEventId, notices });
    yield* again.follow(agent.subscribe(id, lastEventId));
    losses = again.hasResumed ? 0 : losses + 1;
    ({ id, lastEventId, isOver } = again);
  }
}

interface FirstStream {
  /** An answer to an open task: its first snapshot may still be the old state. */
  readonly isReply?: boolean;
  /** Sends the message again if the stream breaks before its task is known; unset: that could create a second task. */
  readonly repeat?: (() => Promise<SendMessageResponse>) | undefined;
}

/** The task, as soon as the agent is reachable. */
async function pollOnce(id: string, waiting: WaitContext): Promise<Task> {
  for (let failures = 1; ; failures++) {
    try {
      return await waiting.agent.getTask(id);
    } catch (error) {
      if (!isLost(error) || failures >= MAX_FAILURES) throw error;
      await sleep(waiting.intervalMs * failures, waiting.signal);
    }
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
