import type { Message, Metadata } from '@switchyard/protocol';
import type { DataSchema } from '../data/data-schema.ts';
import type { TurnScope } from '../journal/turn-scope.ts';
import { agentMessage, type Content } from '../messages/content.ts';
import { derivedId } from '../messages/derived-id.ts';
import type { OutgoingCall } from '../port/call-port.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { longestTimeoutMs } from '../timeouts/timeouts.ts';

/** Options of a call to another agent. */
export interface CallOptions {
  /** False: returns the task as soon as it is accepted; it may go on when the caller's completes. Default: true. */
  readonly wait?: boolean;
  /**
   * Continues this task of the agent, for example with the answer to its question. Default: a new task in the same
   * context.
   */
  readonly taskId?: string;
  /**
   * Schema of zod or another library for the data of a successful answer. `reply.data` then has its type, and a call
   * whose data does not match fails. Default: any data, or none.
   */
  readonly schema?: DataSchema<unknown>;
  /**
   * Longest wait in milliseconds; then the task is canceled and the call fails. Default: none; in a step, as long as the
   * turn may take.
   */
  readonly timeoutMs?: number;
  /**
   * Tells this call from others with the same agent and content, if a retried turn may make them in another order.
   * Default: they are numbered.
   */
  readonly name?: string;
  /** Further tasks that the message refers to; the caller's own is always among them (A2A 4.1.4). */
  readonly referenceTaskIds?: readonly string[];
  /** Accepted media types of the result (A2A 3.2.2). Default: any. */
  readonly acceptedOutputModes?: readonly string[];
  /** URIs of the requested extensions (A2A 3.2.6). */
  readonly extensions?: readonly string[];
  /** Metadata of the request; that of the message goes into the content (A2A 3.2.5). */
  readonly metadata?: Metadata;
}

/**
 * Makes the message of a call. Its id is derived from its content and its number among the turn's calls, so every
 * attempt sends the same one. An attempt with other content (a model may answer differently) makes another call.
 */
export function outgoingCall(
  port: TurnPort,
  scope: TurnScope,
  { agent, content, options }: { agent: string; content: Content; options: CallOptions },
): OutgoingCall {
  checkTimeout(options.timeoutMs);
  const { wait = true, name = agent, acceptedOutputModes, extensions, metadata } = options;
  const { messageId: _random, ...message } = messageTo(port, content, options);
  const named = [
    port.input.task.id,
    port.input.message.messageId,
    scope.step,
    agent,
    name,
    scope.number('call', `${agent} ${name}`),
  ];
  return {
    agent,
    message: { messageId: derivedId([...named, message, metadata]), ...message },
    isDetached: !wait,
    ...(acceptedOutputModes && { acceptedOutputModes }),
    ...(extensions && { extensions }),
    ...(metadata && { metadata }),
  };
}

function messageTo(
  { input: { task } }: TurnPort,
  content: Content,
  { taskId, referenceTaskIds = [] }: CallOptions,
): Message {
  const { contextId } = task;
  return {
    ...agentMessage(content),
    role: 'ROLE_USER',
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    referenceTaskIds: [...new Set([task.id, ...referenceTaskIds])],
  };
}

/** @throws {TurnMisuseError} */
export function checkTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= longestTimeoutMs))
    return;
  throw new TurnMisuseError(`The timeoutMs of a call is ${timeoutMs} and must be a whole number from 1 to 2^31 - 1.`);
}
