import type { Task, TaskState } from '@switchyard/protocol';
import { textOf } from '../messages/content.ts';

/** What a test asks of a task, as a rule. */
export interface TaskSummary {
  readonly state: TaskState;
  /** The text of the agent's last message; empty without one. */
  readonly answer: string;
  /** The texts of the artifacts, by name; of several with one name, the last. */
  readonly results: Readonly<Record<string, string>>;
}

/** The state, answer and results of a task. */
export function summaryOf({ status, artifacts = [] }: Task): TaskSummary {
  return {
    state: status.state,
    answer: status.message ? textOf(status.message) : '',
    results: Object.fromEntries(artifacts.map(({ name = '', parts }) => [name, textOf({ parts })])),
  };
}
