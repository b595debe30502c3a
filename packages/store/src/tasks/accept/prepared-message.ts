import { hash } from 'node:crypto';
import type { Message } from '@switchyard/protocol';
import type { Scope } from '../../deployment/scope.ts';
import { scheduleText } from './schedule.ts';
import type { AnswerSubmission, CallSubmission, KeptRequest, StoredEntry, Submission } from './submission.ts';

export type AnySubmission = Submission & Partial<CallSubmission & AnswerSubmission>;

/** `body`: JSON of the message without its taskId and contextId. Made once, because a message may be large. */
export type PreparedMessage = AnySubmission & { readonly body: string };

/**
 * A hash that tells a retry from another message with the same messageId. It leaves out credentials, as it is not
 * encrypted, and the messageId if there is an idempotency key: many libraries give a retry another one.
 */
export function fingerprint(prepared: PreparedMessage): string {
  const { message, metadata, webhook } = prepared;
  const { taskId, contextId } = message;
  const body = sentBody(prepared);
  const others = JSON.stringify([taskId, contextId, metadata, webhook?.url, webhook?.id]);
  return hash('sha256', `${body}\n${others}`, 'base64url').slice(0, 22);
}

function sentBody({ body, message, sentMessage, idempotencyKey }: PreparedMessage): string {
  if (idempotencyKey !== undefined) return JSON.stringify({ ...(sentMessage ?? message), messageId: undefined });
  return sentMessage ? bodyOf(sentMessage) : body;
}

/** JSON without its end: taskId and contextId are added. */
export function bodyOf({ taskId: _, contextId: __, ...message }: Message): string {
  return JSON.stringify(message).slice(0, -1);
}

/**
 * The inbox entry without its message: the message's id, and a `StoredEntry` as JSON. The message is in the history, or
 * add-message.lua puts it in.
 */
export function inboxEntryText(scope: Scope, sent: PreparedMessage): string {
  const { caller, trace, requestId } = sent;
  const { messageId, contextId } = sent.message;
  // JSON leaves out undefined fields; an object without spreads is made faster.
  const inboxEntry = {
    scopes: scope.principal.scopes,
    acceptedOutputModes: orNothing(sent.acceptedOutputModes),
    extensions: orNothing(sent.extensions),
    metadata: sent.metadata,
    skill: sent.skill,
    caller: caller && { taskId: caller.taskId, agent: caller.agent, depth: caller.depth },
    trace,
    requestId,
    contextId,
  } satisfies { [Name in keyof StoredEntry as Exclude<Name, 'message'>]: StoredEntry[Name] | undefined };
  return `${JSON.stringify(messageId)}\n${JSON.stringify(inboxEntry)}`;
}

function orNothing(list: readonly string[] | undefined): readonly string[] | undefined {
  return list?.length ? list : undefined;
}

/** A `KeptRequest` as JSON; '' for most messages, whose request has none of these parameters. */
export function keptRequest(scope: Scope, sent: PreparedMessage): string {
  const { scopes } = scope.principal;
  const { acceptedOutputModes, extensions, metadata, skill, priority, timeToLiveMs } = sent;
  const isUsual =
    !acceptedOutputModes?.length && !extensions?.length && !metadata && !skill && !priority && !timeToLiveMs;
  if (isUsual && !scopes.length) return '';
  return JSON.stringify({
    scopes,
    acceptedOutputModes: orNothing(acceptedOutputModes),
    extensions: orNothing(extensions),
    metadata,
    skill,
    priority,
    timeToLiveMs,
  } satisfies { [Name in keyof KeptRequest]: KeptRequest[Name] | undefined });
}

/**
 * The new task as a read would return it, so that the caller needs no second round trip. `body` is JSON already, and
 * may be large: it is not parsed and written again.
 */
export function submittedTask(
  { historyLength, body, schedule }: PreparedMessage,
  taskId: string,
  contextId: string,
  timestamp: string,
): string {
  const status = `{"state":"TASK_STATE_SUBMITTED","timestamp":"${timestamp}"}`;
  const head = `{"id":"${taskId}","contextId":${JSON.stringify(contextId)},"status":${status}`;
  const tail = schedule ? `,"metadata":${scheduleText(schedule)}}` : '}';
  if (historyLength === 0) return head + tail;
  const ids = `,"taskId":"${taskId}","contextId":${JSON.stringify(contextId)}}`;
  return `${head},"history":[${body}${ids}]${tail}`;
}
