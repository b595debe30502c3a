import { isInterrupted, isTerminal, type TaskState } from '@switchyard/protocol';
import type { TaskView } from '../client/a2a-client.ts';
import type { Failure } from '../client/outcome.ts';

/** More are not followed to their end: they would fill the memory of a run of hours. */
const MOST_OPEN = 200_000;

export interface TaskCounts {
  /** Answered with a task. */
  readonly accepted: number;
  readonly completed: number;
  /** Failed, rejected or canceled. */
  readonly failed: number;
  /** Waiting for input or an authorization: as far as they get without their client. */
  readonly waiting: number;
  /** Not known to have ended when the run did. */
  readonly unfinished: number;
  /** Answers that are a message, and no task. */
  readonly messages: number;
}

/** The tasks of a run, as far as its clients know them. */
export class TaskLedger {
  readonly open = new Set<string>();
  readonly #onFailed: (failure: Failure) => void;
  #counts = { accepted: 0, completed: 0, failed: 0, waiting: 0, messages: 0 };

  /** @param onFailed called for each task that does not complete */
  constructor(onFailed: (failure: Failure) => void) {
    this.#onFailed = onFailed;
  }

  accepted({ id, status }: TaskView): void {
    this.#counts.accepted++;
    if (this.open.size < MOST_OPEN) this.open.add(id);
    this.seen({ id, status });
  }

  repliedWithMessage(): void {
    this.#counts.messages++;
  }

  /** Counts a task when it is first seen to have got as far as it gets. @returns whether it has, now or before */
  seen({ id, status: { state } }: TaskView): boolean {
    if (!isSettled(state)) return false;
    if (this.open.delete(id)) this.#note(id, state);
    return true;
  }

  counts(): TaskCounts {
    const { accepted, completed, failed, waiting } = this.#counts;
    return { ...this.#counts, unfinished: accepted - completed - failed - waiting };
  }

  #note(id: string, state: TaskState): void {
    const end = endOf(state);
    this.#counts[end]++;
    // TASK_STATE_FAILED, _REJECTED or _CANCELED.
    if (end === 'failed')
      this.#onFailed({ kind: `task ${state.slice('TASK_STATE_'.length).toLowerCase()}`, example: id });
  }
}

/** Whether nothing more will happen to it by itself. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

function endOf(state: TaskState): 'completed' | 'failed' | 'waiting' {
  if (state === 'TASK_STATE_COMPLETED') return 'completed';
  return isTerminal(state) ? 'failed' : 'waiting';
}
