import type { FailureReport } from '@switchyard/protocol';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** Why an attempt, a step or a call of a task failed. For operators. */
export interface Failure extends FailureReport {
  /** ISO time. */
  readonly at: string;
  /** The attempt's number, over all messages of the task. */
  readonly epoch: number;
}

/** The latest failures of a task (failures.lua), the oldest first. */
export async function readFailures(
  { redis, shards }: Pick<OperatorDependencies, 'redis' | 'shards'>,
  taskId: string,
): Promise<Failure[]> {
  const entries = await redis.lrange(`${shards.of(taskId).task(taskId)}:f`, '0', '-1');
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    const [, ms = '', epoch = '', text = ''] = /^(\d+) (\d+) (.*)$/s.exec(entry) ?? [];
    const report = readFailure(text);
    if (!report || seen.has(`${epoch} ${text}`)) return [];
    seen.add(`${epoch} ${text}`);
    return { ...report, at: new Date(Number(ms)).toISOString(), epoch: Number(epoch) };
  });
}

export const isOfAttempt = ({ of = 'attempt' }: Failure): boolean => of === 'attempt';

/** The failure in a text; undefined: it cannot be read. */
function readFailure(text: string): FailureReport | undefined {
  try {
    return JSON.parse(text.slice(text.indexOf('\n') + 1));
  } catch {
    return undefined;
  }
}
