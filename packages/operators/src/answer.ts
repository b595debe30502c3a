import type { Part } from '@switchyard/protocol';
import type { KeepFiles } from '@switchyard/store';
import { type AnswerAcceptance, accept, originOf } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** An operator's answer to a task that waits for its client. */
export interface TaskAnswer {
  readonly messageId: string;
  readonly parts: readonly Part[];
  /** Who answers. */
  readonly operator: string;
  /** Keeps the files of the answer for the task. Default: it has none. */
  readonly keepFiles?: KeepFiles | undefined;
}

type Refused = Exclude<AnswerAcceptance['verdict'], 'accepted' | 'missing' | 'not-waiting'>;

/** `missing`: no such task. `not-waiting`: it waits for no answer. `refused`: the message was not accepted, and why. */
export type AnswerResult =
  | { readonly verdict: 'accepted' }
  | { readonly verdict: 'missing' }
  | { readonly verdict: 'not-waiting' }
  | { readonly verdict: 'refused'; readonly why: Refused };

export async function answerTask(
  dependencies: OperatorDependencies,
  taskId: string,
  { messageId, parts, operator, keepFiles }: TaskAnswer,
): Promise<AnswerResult> {
  const origin = await originOf(dependencies, taskId);
  if (!origin) return { verdict: 'missing' };
  const { scope, given } = origin;
  await keepFiles?.(scope.principal, parts, taskId);
  const { verdict } = await accept(dependencies, scope, {
    ...given,
    message: { messageId, taskId, role: 'ROLE_USER', parts: [...parts] },
    metadata: { ...given.metadata, 'switchyard.operator': operator },
    onlyWaiting: true,
  });
  const isPlain = verdict === 'accepted' || verdict === 'missing' || verdict === 'not-waiting';
  return isPlain ? { verdict } : { verdict: 'refused', why: verdict };
}
