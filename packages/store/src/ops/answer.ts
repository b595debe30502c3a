import { isInterrupted, type Part } from '@switchyard/protocol';
import { scopeOf } from '../redis/scope.ts';
import { accept } from '../tasks/accept.ts';
import { stateOf } from '../tasks/state-letters.ts';
import type { Acceptance } from '../tasks/submission.ts';
import type { OpsPort } from './ops-port.ts';

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
  const [owner, letter] = await port.redis.hmget(port.shards.of(taskId).task(taskId), 'owner', 'state');
  if (!owner || !letter) return { verdict: 'missing' };
  const scope = scopeOf(owner);
  const isKnown = (await port.redis.exists(port.shards.of(taskId).accepted(scope, messageId))) === 1;
  if (!isKnown && !isInterrupted(stateOf(letter))) return { verdict: 'not-waiting' };
  const acceptance = await accept(port, scope, {
    message: { messageId, taskId, role: 'ROLE_USER', parts: [...parts] },
    metadata: { 'switchyard.operator': operator },
  });
  if (acceptance.verdict === 'accepted') return { verdict: 'accepted' };
  return { verdict: 'refused', why: acceptance.verdict };
}
