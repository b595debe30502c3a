import {
  A2AError,
  type Metadata,
  rerunUri,
  type SendMessageRequest,
  scheduleUri,
  type TraceContext,
} from '@switchyard/protocol';
import type { Acceptance, PreSubscription, Schedule, StepsOfTask, Submission } from '@switchyard/store';
import { traceContextIn, traceSend } from '@switchyard/telemetry';
import type { Call } from '../call/call.ts';
import { activeExtensions, isActive } from '../call/extensions.ts';
import { legacyVersion } from '../exchange/service-parameters.ts';
import { type Backend, taskNotFound } from './backend.ts';
import { checkMessage, skillOf } from './check-message.ts';
import { keyConflict } from './idempotency.ts';
import { type ConditionalSend, generationMismatch } from './if-generation.ts';
import { type Rerun, readRerun } from './rerun.ts';
import { readSchedule } from './schedule.ts';
import { inlineWebhook, tooManyConfigs } from './webhook-draft.ts';

export type Accepted = Extract<Acceptance, { verdict: 'accepted' }>;
type Refused = Exclude<Acceptance['verdict'], 'accepted' | 'overloaded' | 'other-seq'>;

interface AcceptOptions {
  /** Becomes the task's id, if the message creates one. */
  readonly preSubscription?: PreSubscription | undefined;
  /**
   * How long the caller may still get a plain message: until then a webhook (except of A2A 0.3) gets no event of the
   * task.
   */
  readonly webhookHoldMs?: number;
  /** The caller waits for the answer, or reads it as a stream. */
  readonly isAwaited?: boolean;
  /** Of a rerun task; see `readRerun`. */
  readonly steps?: StepsOfTask | undefined;
  /** Of a task that begins later: its caller has it at once. */
  readonly schedule?: Schedule | undefined;
}

/**
 * Reads the rerun and schedule extensions of a message. `request`: the message to accept.
 * @throws {A2AError}
 */
export async function readExtensions(
  backend: Backend,
  call: Call,
  sent: ConditionalSend,
): Promise<Rerun & Pick<AcceptOptions, 'schedule'>> {
  const rerun = isActive(call, rerunUri) ? await readRerun(backend, call, sent) : { request: sent };
  const schedule = isActive(call, scheduleUri) ? readSchedule(backend, rerun.request) : undefined;
  return { ...rerun, schedule };
}

/**
 * The first half of SendMessage and SendStreamingMessage: stores the message, and queues its turn.
 * @throws {A2AError}
 */
export async function acceptMessage(
  backend: Backend,
  call: Call,
  request: ConditionalSend,
  { preSubscription, webhookHoldMs, isAwaited = false, steps, schedule }: AcceptOptions = {},
): Promise<Accepted> {
  checkMessage(call, request);
  const skill = skillOf(call, request);
  const config = request.configuration?.taskPushNotificationConfig;
  if (config) {
    call.admission.requirePermission('CreateTaskPushNotificationConfig');
    call.admission.consumeExtra('CreateTaskPushNotificationConfig');
  }
  const traceContext = traceContextOf(call, request);
  const webhook = config && (await inlineWebhook(config, request, { backend, call, traceContext }));
  const { agent } = call.scope;
  const sent = { agent, messageId: request.message.messageId, traceContext, isAwaited };
  const acceptance = await traceSend(sent, (trace) =>
    backend.tasks.accept(call.scope, {
      ...submission(call, request),
      ...(skill && { skill }),
      ...(steps && { steps }),
      ...(schedule && { schedule }),
      ...(trace && { trace }),
      requestId: call.admission.requestId,
      ...(webhook && { webhook, webhookHoldMs: webhook.version === legacyVersion ? 0 : webhookHoldMs }),
      isHidden: call.agent.repliesWithMessage && !schedule,
      ...(preSubscription && { reservedId: preSubscription.taskId }),
    }),
  );
  if (acceptance.verdict === 'overloaded') throw overloaded(acceptance.retryAfterSeconds);
  if (acceptance.verdict === 'other-seq') throw otherGeneration(request, acceptance.seq);
  if (acceptance.verdict === 'conflict' && call.idempotencyKey !== undefined) throw keyConflict();
  if (acceptance.verdict !== 'accepted') throw refusals[acceptance.verdict](request);
  const { isDuplicate, isNew, taskId, contextId } = acceptance;
  if (!isDuplicate)
    backend.emit({
      kind: 'message-accepted',
      agent,
      taskId,
      contextId,
      isNew,
      ...(schedule && { at: schedule.at }),
      ...call.admission.caller,
    });
  const audited = { outcome: 'ok', agent, object: taskId };
  call.admission.audit({ what: 'send', ...audited });
  if (webhook) call.admission.audit({ what: 'push-register', ...audited });
  return acceptance;
}

/** The trace context of a message: from its request, or from its metadata for clients that cannot set headers. */
function traceContextOf(
  { traceContext }: Pick<Call, 'traceContext'>,
  { message, metadata }: SendMessageRequest,
): TraceContext | undefined {
  const named = (given: Metadata = {}): TraceContext | undefined => traceContextIn(given.traceparent, given.tracestate);
  return traceContext ?? named(message.metadata) ?? named(metadata);
}

function submission(call: Call, { message, configuration, metadata }: ConditionalSend): Submission {
  const extensions = activeExtensions(call);
  const { idempotencyKey } = call;
  return {
    message,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(configuration?.acceptedOutputModes && { acceptedOutputModes: configuration.acceptedOutputModes }),
    ...(configuration?.historyLength !== undefined && { historyLength: configuration.historyLength }),
    ...(extensions.length > 0 && { extensions }),
    ...(metadata && { metadata }),
    ...(configuration?.ifGenerationMatch !== undefined && { ifSeq: configuration.ifGenerationMatch }),
  };
}

function otherGeneration({ message, configuration }: ConditionalSend, current: number): A2AError {
  return generationMismatch(message.taskId ?? '', { expected: configuration?.ifGenerationMatch, current });
}

const refusals: Readonly<Record<Refused, (request: SendMessageRequest) => A2AError>> = {
  missing: ({ message }) => taskNotFound(message.taskId ?? ''),
  // A2A 3.4.3: agents MUST reject a contextId that is not the task's.
  'context-mismatch': () =>
    new A2AError('InvalidParams', 'The task belongs to another context', {
      violations: [{ field: 'message.contextId', description: 'is not the context of the task in message.taskId' }],
    }),
  terminal: ({ message }) =>
    new A2AError(
      'UnsupportedOperation',
      'The task has ended and accepts no further messages',
      taskIdOf(message.taskId),
    ),
  canceling: ({ message }) =>
    new A2AError(
      'UnsupportedOperation',
      'The task is being canceled and accepts no further messages',
      taskIdOf(message.taskId),
    ),
  working: ({ message }) =>
    new A2AError(
      'UnsupportedOperation',
      'The agent accepts no message while it works on this task: send it when the task waits for you, or has ended',
      taskIdOf(message.taskId),
    ),
  waits: ({ message }) =>
    new A2AError(
      'UnsupportedOperation',
      'The task is scheduled and accepts no message before its time: cancel it, and send another one',
      taskIdOf(message.taskId),
    ),
  conflict: () =>
    new A2AError('Conflict', 'This messageId was used before, for another message', {
      violations: [{ field: 'message.messageId', description: 'was used before, for another message' }],
    }),
  'too-many-webhooks': ({ message }) => tooManyConfigs(message.taskId ?? ''),
  'history-full': ({ message }) =>
    new A2AError(
      'UnsupportedOperation',
      'The history of this task is full: continue in a new task',
      taskIdOf(message.taskId),
    ),
  'inbox-full': ({ message }) =>
    new A2AError('RateLimited', 'Too many messages wait in this task', {
      metadata: { ...taskIdOf(message.taskId).metadata, limit: 'inbox' },
      retryAfterSeconds: 1,
    }),
  'too-many-open': () => tooMuch('open-tasks', 'You have too many open tasks at this agent'),
  'too-many-kept': () => tooMuch('kept-tasks', 'You have too many tasks at this agent: delete ended ones'),
  'too-many-scheduled': () => tooMuch('scheduled-tasks', 'You have too many scheduled tasks at this agent'),
  'too-many-open-of-tenant': () => tooMuch('open-tasks-of-tenant', 'Your tenant has too many open tasks'),
  'too-many-bytes-of-tenant': () => tooMuch('bytes-of-tenant', 'Your tenant has reached its limit of stored bytes'),
};

const overloaded = (retryAfterSeconds: number): A2AError =>
  new A2AError('RateLimited', 'Too many messages wait for this agent', {
    retryAfterSeconds,
    metadata: { limit: 'queue' },
  });
const tooMuch = (limit: string, message: string): A2AError =>
  new A2AError('RateLimited', message, { retryAfterSeconds: 60, metadata: { limit } });

const taskIdOf = (taskId = ''): { metadata: Record<string, string> } => ({ metadata: { taskId } });

/** Subscribes to the task that this message may create; a message with a taskId creates none. */
export function presubscribe(
  { feeds }: Backend,
  call: Call,
  { message }: SendMessageRequest,
): PreSubscription | undefined {
  const { scope, signal, idempotencyKey } = call;
  return message.taskId !== undefined || signal.aborted
    ? undefined
    : feeds.presubscribe(scope, { message, ...(idempotencyKey !== undefined && { idempotencyKey }) });
}
