import { A2AError, type SendMessageRequest } from '@switchyard/protocol';
import type { Acceptance } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { taskNotFound } from './backend.ts';
import { keyConflict } from './idempotency.ts';
import { type ConditionalSend, generationMismatch } from './if-generation.ts';
import { tooManyConfigs } from './webhook-draft.ts';

type Refused = Exclude<Acceptance['verdict'], 'accepted' | 'overloaded' | 'other-seq'>;

/** The error of a message that the store has not accepted. */
export function refusalOf(
  acceptance: Exclude<Acceptance, { verdict: 'accepted' }>,
  request: ConditionalSend,
  { idempotencyKey }: Pick<Call, 'idempotencyKey'>,
): A2AError {
  if (acceptance.verdict === 'overloaded') return overloaded(acceptance.retryAfterSeconds);
  if (acceptance.verdict === 'other-seq') return otherGeneration(request, acceptance.seq);
  if (acceptance.verdict === 'conflict' && idempotencyKey !== undefined) return keyConflict();
  return refusals[acceptance.verdict](request);
}

function otherGeneration({ message, configuration }: ConditionalSend, current: number): A2AError {
  return generationMismatch(message.taskId ?? '', { expected: configuration?.ifGenerationMatch, current });
}

type RefusalOf = (request: SendMessageRequest) => A2AError;

/** The task takes no such message now. */
const unsupported =
  (text: string): RefusalOf =>
  ({ message }) =>
    new A2AError('UnsupportedOperation', text, { metadata: { taskId: message.taskId ?? '' } });

const refusals: Readonly<Record<Refused, RefusalOf>> = {
  missing: ({ message }) => taskNotFound(message.taskId ?? ''),
  // A2A 3.4.3: agents MUST reject a contextId that is not the task's.
  'context-mismatch': () =>
    new A2AError('InvalidParams', 'The task belongs to another context', {
      violations: [{ field: 'message.contextId', description: 'is not the context of the task in message.taskId' }],
    }),
  terminal: unsupported('The task has ended and accepts no further messages'),
  canceling: unsupported('The task is being canceled and accepts no further messages'),
  working: unsupported(
    'The agent accepts no message while it works on this task: send it when the task waits for you, or has ended',
  ),
  waits: unsupported('The task is scheduled and accepts no message before its time: cancel it, and send another one'),
  conflict: () =>
    new A2AError('Conflict', 'This messageId was used before, for another message', {
      violations: [{ field: 'message.messageId', description: 'was used before, for another message' }],
    }),
  'too-many-webhooks': ({ message }) => tooManyConfigs(message.taskId ?? ''),
  'history-full': unsupported('The history of this task is full: continue in a new task'),
  'inbox-full': ({ message }) =>
    new A2AError('RateLimited', 'Too many messages wait in this task', {
      metadata: { taskId: message.taskId ?? '', limit: 'inbox' },
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
