import type { FailureReport } from '@switchyard/protocol';
import { word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { storedFailureText } from './failure-text.ts';
import type { TurnsDependencies } from './turns-dependencies.ts';

const recordFailureScript = defineScript({
  file: 'record-failure.lua',
  from: import.meta.url,
  keys: ['task'],
  args: ['epoch', 'failure', 'isAttempt'],
  reply: word('recorded', 'unknown'),
});

/** An attempt, as workers report the turns that they run. */
export interface AttemptId {
  readonly taskId: string;
  readonly epoch: number;
}

/**
 * Keeps why an attempt, a step or a call failed, for operators. Most attempts need no call of this: the scripts that end
 * an attempt take its failure along.
 * @param report of a step or call, of an attempt that already has its outcome, or, from any process, of an attempt whose
 * worker has died: `{ kind: 'worker-blocked', message: 'The agent blocked its worker for 12 s at agent.ts:41.', … }`
 * @returns false: the task is gone, or its record does not have the attempt any more
 */
export async function recordFailure(
  { redis, shards }: Pick<TurnsDependencies, 'redis' | 'shards'>,
  { taskId, epoch }: AttemptId,
  report: FailureReport,
): Promise<boolean> {
  const isAttempt = (report.of ?? 'attempt') === 'attempt' ? '1' : '';
  const verdict = await recordFailureScript.run(redis, {
    keys: { task: shards.of(taskId).task(taskId) },
    args: { epoch, failure: storedFailureText(report), isAttempt },
  });
  return verdict === 'recorded';
}
