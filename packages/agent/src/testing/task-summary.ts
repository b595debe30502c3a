import type { Task, TaskState } from '@switchyard/protocol';
import { textOf } from '../messages/content.ts';

/** What most tests check of a task. */
export interface TaskSummary {
  readonly state: TaskState;
  /** The text of the agent's last message; empty if there is none. */
  readonly answer: string;
  /** The texts of the artifacts, by name; if several have the same name, the last one. */
  readonly results: Readonly<Record<string, string>>;
}

/**
 * The state, answer and results of a task.
 *
 *     const { state, answer, results } = summaryOf(turn.task);
 */
export function summaryOf({ status, artifacts = [] }: Task): TaskSummary {
  return {
    state: status.state,
    answer: status.message ? textOf(status.message) : '',
    results: Object.fromEntries(artifacts.map(({ name = '', parts }) => [name, textOf({ parts })])),
  };
}
