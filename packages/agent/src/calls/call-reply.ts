import type { Message, Task, TaskState } from '@switchyard/protocol';
import { textOf } from '../messages/content.ts';
import type { CallOutcome, PlacedCall } from '../port/call-port.ts';

/** The answer of another agent: a plain Message, or its task. */
export type CallReply = MessageReply | TaskReply;

interface Answer {
  /** The called agent: id or URL. */
  readonly agent: string;
  /** Id of its task; a plain message has one, too. */
  readonly taskId: string;
  /**
   * Its text: of a completed task the artifacts or, without any, the last message; of any other task the message, such
   * as a question or a reason.
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

/** Whether the agent succeeded: it answered with a message, or completed its task. */
export function isDone({ state }: CallReply): boolean {
  return state === 'TASK_STATE_COMPLETED';
}

/** Whether the agent succeeded or asks a question. */
export function isAnswer(reply: CallReply): boolean {
  return isDone(reply) || reply.state === 'TASK_STATE_INPUT_REQUIRED';
}

function textOfTask({ status, artifacts = [] }: Task): string {
  const text = status.message ? textOf(status.message) : '';
  if (status.state !== 'TASK_STATE_COMPLETED') return text;
  const results = artifacts.map(textOf).filter((text) => text !== '');
  return results.join('\n\n') || text;
}
