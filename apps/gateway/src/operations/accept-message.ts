import { A2AError, type SendMessageRequest } from '@switchyard/protocol';
import type { Acceptance, PreSubscription, Submission } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import { activeExtensions, requireExtensions } from './extensions.ts';
import { requireMediaTypes } from './media-types.ts';
import { inlineWebhook, tooManyConfigs } from './push-config.ts';
import { taskNotFound } from './read-task.ts';

export type Accepted = Extract<Acceptance, { verdict: 'accepted' }>;
type Refused = Exclude<Acceptance['verdict'], 'accepted'>;

export interface Arrangements {
  /** Under which the message makes its task, if it makes one. */
  readonly preSubscription?: PreSubscription | undefined;
  /** How long the caller may still be answered with a plain message: a webhook of A2A 1.0 is told of no task before. */
  readonly webhookHoldMs?: number;
}

/**
 * The first half of SendMessage and SendStreamingMessage: the message is durable, its turn is queued.
 * @throws {A2AError}
 */
export async function acceptMessage(
  backend: Backend,
  call: Call,
  request: SendMessageRequest,
  { preSubscription, webhookHoldMs }: Arrangements = {},
): Promise<Accepted> {
  requireExtensions(call);
  requireMediaTypes(call, request);
  const webhook = inlineWebhook(backend, call, request);
  const acceptance = await backend.tasks.accept(call.scope, {
    ...submission(call, request),
    ...(webhook && { webhook, webhookHoldMs: webhook.version === undefined ? webhookHoldMs : 0 }),
    ...(preSubscription && { reservedId: preSubscription.taskId }),
  });
  if (acceptance.verdict !== 'accepted') throw refusals[acceptance.verdict](request);
  const { isDuplicate, isNew } = acceptance;
  if (!isDuplicate) backend.emit({ kind: 'message-accepted', agent: call.scope.agent, isNew });
  return acceptance;
}

function submission(call: Call, { message, configuration, metadata }: SendMessageRequest): Submission {
  const extensions = activeExtensions(call);
  return {
    message,
    ...(configuration?.acceptedOutputModes && { acceptedOutputModes: configuration.acceptedOutputModes }),
    ...(configuration?.historyLength !== undefined && { historyLength: configuration.historyLength }),
    ...(extensions.length > 0 && { extensions }),
    ...(metadata && { metadata }),
  };
}

const refusals: Readonly<Record<Refused, (request: SendMessageRequest) => A2AError>> = {
  missing: ({ message }) => taskNotFound(message.taskId ?? ''),
  // A2A 3.4.3: agents MUST reject a contextId that is not the task's.
  'context-mismatch': () =>
    new A2AError('InvalidParams', 'The task belongs to another context', {
      violations: [{ field: 'message.contextId', description: 'is not the context of the task in message.taskId' }],
    }),
  terminal: ({ message }) =>
    new A2AError('UnsupportedOperation', 'The task has ended and takes no further messages', taskIdOf(message.taskId)),
  canceling: ({ message }) =>
    new A2AError(
      'UnsupportedOperation',
      'The task is being canceled and takes no further messages',
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
      'The history of this task is full: go on in a new task',
      taskIdOf(message.taskId),
    ),
  'inbox-full': ({ message }) =>
    new A2AError('RateLimited', 'Too many messages wait in this task', {
      ...taskIdOf(message.taskId),
      retryAfterSeconds: 1,
    }),
};

const taskIdOf = (taskId = ''): { metadata: Record<string, string> } => ({ metadata: { taskId } });

/** Subscribes to the task that this message makes, before it is made; a message that names its task makes none. */
export function presubscribe(
  { feeds }: Backend,
  { scope, signal }: Call,
  { message }: SendMessageRequest,
): PreSubscription | undefined {
  return message.taskId !== undefined || signal.aborted ? undefined : feeds.presubscribe(scope, message);
}
