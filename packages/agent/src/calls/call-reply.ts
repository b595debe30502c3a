import type { Artifact, Message, Part, Task, TaskState } from '@switchyard/protocol';
import { textOf } from '../messages/content.ts';
import type { CallOutcome, PlacedCall } from '../port/call-port.ts';

/** The answer of another agent: a plain Message, or its task. */
export type CallReply<Data = unknown> = MessageReply<Data> | TaskReply<Data>;

/** The fields of every reply, whether the agent answered with a message or a task. */
export interface Reply<Data = unknown> {
  /** The called agent: id or URL. */
  readonly agent: string;
  /** Id of its task; a plain message has one, too. */
  readonly taskId: string;
  /**
   * Its text: for a completed task that of the artifacts or, without any, of the last message; for any other task that
   * of the message, such as a question or a reason.
   */
  readonly text: string;
  readonly state: TaskState;
  /** Parts of its last message, with which it completed or asks. */
  readonly parts: readonly Part[];
  /** Its results; a plain message has none. */
  readonly artifacts: readonly Artifact[];
  /**
   * Its first data part, of an artifact or else of the last message; checked by the call's `schema`, if it has one.
   * Undefined if there is no data part, or if the agent did not succeed.
   */
  readonly data: Data | undefined;
}

/** The agent answered with a plain Message. */
export interface MessageReply<Data = unknown> extends Reply<Data> {
  readonly kind: 'message';
  readonly message: Message;
}

/** The agent answered with a task, which has ended or waits for input or an authorization. */
export interface TaskReply<Data = unknown> extends Reply<Data> {
  readonly kind: 'task';
  /** Without its history. */
  readonly task: Task;
}

type Without<Each, Names extends PropertyKey> = Each extends unknown ? Omit<Each, Names> : never;

/** A reply as stored for a retried turn, without the fields that `toReply` takes from the task or message. */
export type StoredReply = Without<CallReply, 'parts' | 'artifacts' | 'data'>;

export function storedReply({ agent, taskId }: PlacedCall, { task, reply }: CallOutcome): StoredReply {
  const { state } = task.status;
  if (reply) return { kind: 'message', agent, taskId, state, text: textOf(reply), message: reply };
  return { kind: 'task', agent, taskId, state, text: textOfTask(task), task };
}

export function toReply(stored: StoredReply): CallReply {
  if (stored.kind === 'message') {
    const { parts } = stored.message;
    return { ...stored, parts, artifacts: [], data: dataIn(parts) };
  }
  const { status, artifacts = [] } = stored.task;
  const parts = status.message?.parts ?? [];
  const results = artifacts.flatMap((artifact) => artifact.parts);
  return { ...stored, parts, artifacts, data: isDone(stored) ? dataIn([...results, ...parts]) : undefined };
}

/** All parts of a reply, those of artifacts first. */
export function partsIn(stored: StoredReply): Part[] {
  return holdersIn(stored).flatMap(({ parts }) => parts);
}

/** The reply with other parts, in the order of `partsIn`. */
export function withParts(stored: StoredReply, parts: readonly Part[]): StoredReply {
  let at = 0;
  const replaced = <Holder extends Message | Artifact>(holder: Holder): Holder => {
    const from = at;
    at += holder.parts.length;
    return { ...holder, parts: parts.slice(from, at) };
  };
  if (stored.kind === 'message') return { ...stored, message: replaced(stored.message) };
  const { artifacts, status } = stored.task;
  const task = {
    ...stored.task,
    ...(artifacts && { artifacts: artifacts.map(replaced) }),
    status: { ...status, ...(status.message && { message: replaced(status.message) }) },
  };
  return { ...stored, task };
}

function holdersIn(stored: StoredReply): (Message | Artifact)[] {
  if (stored.kind === 'message') return [stored.message];
  const { artifacts = [], status } = stored.task;
  return [...artifacts, ...(status.message ? [status.message] : [])];
}

function dataIn(parts: readonly Part[]): unknown {
  return parts.find(({ data }) => data !== undefined)?.data;
}

/**
 * Whether the agent succeeded: it answered with a message, or completed its task.
 *
 *     const price = await turn.call('prices', turn.text);
 *     return isDone(price) ? turn.complete(price.text) : turn.fail(`No price: ${price.text}`);
 */
export function isDone({ state }: Pick<Reply, 'state'>): boolean {
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
