import { setTimeout as pause } from 'node:timers/promises';
import { eventIdIn } from '@switchyard/protocol';
import { Failure } from '../failures/failure.ts';
import type { Agent } from './agent.ts';
import { isInterrupted, isSettled, type StreamResponse, stateOf, type Task } from './objects.ts';

export interface WaitContext {
  readonly agent: Agent;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
  /** Called with each task id as it becomes known, for a caller that stops waiting. */
  readonly onTask?: (task: { readonly id: string; readonly contextId: string | undefined }) => void;
}

const MAX_FAILURES = 5;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;

/** Polls a task until it ends or needs an answer. If the agent is unreachable, it is polled with growing pauses. */
export async function pollUntilSettled(id: string, waiting: WaitContext, historyLength?: number): Promise<Task> {
  const { agent, intervalMs, signal, note } = waiting;
  let waitMs = intervalMs;
  for (let failures = 0; ; await sleep(waitMs, signal)) {
    try {
      const task = await agent.getTask(id, historyLength);
      if (isSettled(stateOf(task))) return task;
      failures = 0;
      waitMs = intervalMs;
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
 * @param isReply an answer to an open task: its first snapshot may still be the old state
 */
export async function* eventsUntilSettled(
  events: AsyncIterable<StreamResponse>,
  waiting: WaitContext,
  { isReply = false } = {},
): AsyncGenerator<StreamResponse> {
  const { agent, signal } = waiting;
  const first = new StreamReader(waiting, { isReply });
  yield* first.follow(events);
  let { id, lastEventId, isOver } = first;
  for (let losses = 0; !isOver && id !== undefined; ) {
    if (losses >= MAX_FAILURES) lastEventId = undefined;
    if (lastEventId === undefined) {
      const task = await pollOnce(id, waiting);
      if (isSettled(stateOf(task))) return void (yield { task });
      if (losses >= MAX_FAILURES) return void (yield { task: await pollUntilSettled(id, waiting) });
    }
    await sleep(FIRST_WAIT_MS * 2 ** losses, signal);
    const again = new StreamReader(waiting, { id, lastEventId });
    yield* again.follow(agent.subscribe(id, lastEventId));
    losses = again.hasResumed ? 0 : losses + 1;
    ({ id, lastEventId, isOver } = again);
  }
}

interface StreamStart {
  readonly isReply?: boolean;
  readonly id?: string | undefined;
  /** The stream is resumed after it. */
  readonly lastEventId?: string | undefined;
}

/** One stream, and what it received. */
class StreamReader {
  readonly #waiting: WaitContext;
  /** Its first snapshot does not count as the end. */
  #isReply: boolean;
  readonly #isResumed: boolean;
  id: string | undefined;
  /** Undefined: the stream cannot be resumed. */
  lastEventId: string | undefined;
  isOver = false;
  /** It resumed another stream: receiving the whole task again is not progress. */
  hasResumed = false;

  constructor(waiting: WaitContext, { isReply = false, id, lastEventId }: StreamStart) {
    this.#waiting = waiting;
    this.#isReply = isReply;
    this.#isResumed = lastEventId !== undefined;
    this.id = id;
    this.lastEventId = lastEventId;
  }

  /** Ends at the last event of the task, or when a stream of a known task breaks. @throws {Failure} */
  async *follow(events: AsyncIterable<StreamResponse>): AsyncGenerator<StreamResponse> {
    try {
      for await (const event of events) {
        this.#learn(event);
        yield event;
        if (this.isOver) return;
      }
    } catch (error) {
      const { signal, note } = this.#waiting;
      if (signal.aborted || this.id === undefined || !(error instanceof Failure)) throw error;
      if (!isLost(error)) {
        if (!this.#isResumed) throw error;
        // The task can be read, and has the reason.
        this.lastEventId = undefined;
      }
      note(`The stream broke off: ${error.message}`);
    }
  }

  #learn({ message, task, statusUpdate, artifactUpdate }: StreamResponse): void {
    const id = task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
    const { contextId, metadata } = task ?? statusUpdate ?? artifactUpdate ?? {};
    if (id !== undefined) this.#waiting.onTask?.({ id, contextId });
    this.id = id ?? this.id;
    this.lastEventId = eventIdIn(metadata);
    this.hasResumed = this.#isResumed;
    const state = task ?? statusUpdate;
    const isOld = this.#isReply && state !== undefined && isInterrupted(stateOf(state));
    this.isOver = message !== undefined || (state !== undefined && isSettled(stateOf(state)) && !isOld);
    this.#isReply = false;
  }
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

/** A lost connection may come back; an error of the agent is final. */
function isLost(error: unknown): error is Failure {
  return error instanceof Failure && (error.code === 'A2ACLI_ERR_UNREACHABLE' || error.code === 'A2ACLI_ERR_INTERNAL');
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
