import { isInterrupted, type Part } from '@switchyard/protocol';
import { accept } from '../tasks/accept.ts';
import { stateOf } from '../tasks/state-letters.ts';
import type { Acceptance } from '../tasks/submission.ts';
import type { OpsPort } from './ops-port.ts';
import { originOf } from './origin.ts';

/** What a person says to a task. */
export interface TaskAnswer {
  readonly messageId: string;
  readonly parts: readonly Part[];
  /** Who says it. */
  readonly operator: string;
}

/** `missing`: no such task. `not-waiting`: it asks for nothing. `refused`: the message was not accepted, and why. */
export type AnswerResult =
  | { readonly verdict: 'accepted' }
  | { readonly verdict: 'missing' }
  | { readonly verdict: 'not-waiting' }
  | { readonly verdict: 'refused'; readonly why: Exclude<Acceptance['verdict'], 'accepted'> };

export async function answerTask(
  port: OpsPort,
  taskId: string,
  { messageId, parts, operator }: TaskAnswer,
): Promise<AnswerResult> {
  const [origin, letter] = await Promise.all([
    originOf(port, taskId),
    port.redis.hget(port.shards.of(taskId).task(taskId), 'state'),
  ]);
  if (!origin || !letter) return { verdict: 'missing' };
  const { scope, given } = origin;
  const isKnown = (await port.redis.exists(port.shards.of(taskId).accepted(scope, messageId))) === 1;
  if (!isKnown && !isInterrupted(stateOf(letter))) return { verdict: 'not-waiting' };
  const acceptance = await accept(port, scope, {
    ...given,
    message: { messageId, taskId, role: 'ROLE_USER', parts: [...parts] },
    metadata: { ...given.metadata, 'switchyard.operator': operator },
  });
  if (acceptance.verdict === 'accepted') return { verdict: 'accepted' };
  return { verdict: 'refused', why: acceptance.verdict };
}
