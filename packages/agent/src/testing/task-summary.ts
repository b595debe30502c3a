import type { Task, TaskState } from '@switchyard/protocol';
import { textOf } from '../messages/content.ts';
import { described } from '../messages/described-part.ts';

/** What most tests check of a task. */
export interface TaskSummary {
  readonly state: TaskState;
  /** The text of the agent's last message; empty if there is none. */
  readonly answer: string;
  /**
   * The contents of the artifacts, by name; if several have the same name, the last one. Texts as they are, data as JSON,
   * and of a file its name, media type and URL or size: `[file a.pdf (application/pdf): https://…]`.
   */
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
    results: Object.fromEntries(artifacts.map(({ name = '', parts }) => [name, parts.map(described).join('\n')])),
  };
}
