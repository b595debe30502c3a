import type { TaskState } from '@switchyard/protocol';
import { hiddenLetter, stateOf, withdrawnLetter } from '../visibility/state-letters.ts';
import type { TaskJson } from './task-json.ts';

/** The parts of a task to read. */
export interface TaskView {
  /** The n latest messages; 0 leaves the history out; unset: all. */
  readonly historyLength?: number | undefined;
  /** Default true. */
  readonly includeArtifacts?: boolean | undefined;
  /** The version that the caller has: if it is current, `task` is left out. */
  readonly version?: string | undefined;
}

export interface TaskReading {
  /** Changes with every event and every accepted message: an ETag. */
  readonly version: string;
  readonly seq: number;
  /** Incarnation of the last event: see EventId. */
  readonly incarnation: number;
  readonly state: TaskState;
  /** The caller got a plain message instead of this task. */
  readonly isWithdrawn: boolean;
  /** No client was given this task, as the agent may answer with a plain message. */
  readonly isHidden: boolean;
  /** The highest number of a message that is answered, or acknowledged to its caller. */
  readonly answered: number;
  /** Absent if the caller has this version. */
  readonly task?: TaskJson;
}

/** What is known of a task. @param summary the state's letter and `answered` */
export function readingAt(version: string, summary: string): TaskReading {
  const [state = '', answered] = [summary[0], summary.slice(1)];
  const seq = Number.parseInt(version, 10);
  const incarnation = Number.parseInt(version.slice(version.indexOf('-') + 1), 10);
  const [isWithdrawn, isHidden] = [state === withdrawnLetter, state === hiddenLetter];
  return { version, seq, incarnation, state: stateOf(state), isWithdrawn, isHidden, answered: Number(answered) };
}
