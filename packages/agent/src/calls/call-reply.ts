import type { Message, Task, TaskState } from '@switchyard/protocol';
import { textOf } from '../messages/content.ts';
import type { CallOutcome, PlacedCall } from '../port/call-port.ts';

/** What another agent answered: a plain Message, or a task as it stands. */
export type CallReply = MessageReply | TaskReply;

interface Answer {
  /** As it was called: id or URL. */
  readonly agent: string;
  /** Of its task, which a plain message has, too. */
  readonly taskId: string;
  /**
   * What it says, as text: of a completed task that of its artifacts, and where they have none that of its last
   * message; of any other that of its message: a question, a reason.
   */
  readonly text: string;
  readonly state: TaskState;
}

export interface MessageReply extends Answer {
  readonly kind: 'message';
  readonly message: Message;
}

export interface TaskReply extends Answer {
  readonly kind: 'task';
  /** Without its history. */
  readonly task: Task;
}

export function toReply({ agent, taskId }: PlacedCall, { task, reply }: CallOutcome): CallReply {
  const { state } = task.status;
  if (reply) return { kind: 'message', agent, taskId, state, text: textOf(reply), message: reply };
  return { kind: 'task', agent, taskId, state, text: textOfTask(task), task };
}

/** Whether the agent did what it was asked: it answered with a message, or completed its task. */
export function isDone({ state }: CallReply): boolean {
  return state === 'TASK_STATE_COMPLETED';
}

/** Whether it says something: the agent did what it was asked, or asks something back. */
export function isAnswer(reply: CallReply): boolean {
  return isDone(reply) || reply.state === 'TASK_STATE_INPUT_REQUIRED';
}

function textOfTask({ status, artifacts = [] }: Task): string {
  const said = status.message ? textOf(status.message) : '';
  if (status.state !== 'TASK_STATE_COMPLETED') return said;
  const results = artifacts.map(textOf).filter((text) => text !== '');
  return results.join('\n\n') || said;
}
