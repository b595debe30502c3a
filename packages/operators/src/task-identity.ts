import type { TaskState } from '@switchyard/protocol';
import { scopeOf, stateOf } from '@switchyard/store/inside';

/** Identifies a task, with its principal, its agent and its state. */
export interface TaskIdentity {
  readonly taskId: string;
  readonly contextId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly subject: string;
  readonly state: TaskState;
}

type Field = string | null | undefined;

/** Parses the fields `owner`, `context` and `state` of a task's record. @returns undefined: there is no such task */
export function taskIdentity(taskId: string, [owner, context, letter]: readonly Field[]): TaskIdentity | undefined {
  if (!owner || !letter) return undefined;
  const { principal, agent } = scopeOf(owner);
  const { tenant, subject } = principal;
  return { taskId, contextId: JSON.parse(`"${context}"`), agent, tenant, subject, state: stateOf(letter) };
}
