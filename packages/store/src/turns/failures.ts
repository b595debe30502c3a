import type { CodeFrame, FailureReport, ThrownError } from '@switchyard/protocol';
import { defineScript, word } from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';

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
  { redis, shards }: Pick<DeploymentDependencies, 'redis' | 'shards'>,
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

/** Bytes of a failure in Redis. */
const MAX_BYTES = 8_192;
const HEAD_LENGTH = 200;
const MESSAGE_LENGTH = 1_000;

/** A failure as scripts get it: see failures.lua. Too large: without its inner frames, then without its causes. */
export function storedFailureText(report: FailureReport): string {
  const head = `${report.kind} ${oneLine(report.message).slice(0, HEAD_LENGTH)}`;
  const short = { ...report, message: report.message.slice(0, MESSAGE_LENGTH) };
  for (const smaller of reductions) {
    const text = `${head}\n${JSON.stringify(smaller(short))}`;
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return `${head}\n${JSON.stringify({ kind: report.kind, message: short.message.slice(0, HEAD_LENGTH) })}`;
}

type Reduction = (report: FailureReport) => FailureReport;

const reductions: readonly Reduction[] = [
  (report) => report,
  (report) => withError(report, (error) => mapErrors(error, withoutInnerFrames)),
  (report) => withError(report, ({ errors: _, ...error }) => error),
  (report) => withError(report, ({ errors: _, cause: __, ...error }) => error),
  ({ error: _, ...report }) => report,
];

function withError(report: FailureReport, change: (error: ThrownError) => ThrownError): FailureReport {
  return report.error ? { ...report, error: change(report.error) } : report;
}

function mapErrors(error: ThrownError, change: (error: ThrownError) => ThrownError): ThrownError {
  const { cause, errors } = error;
  return change({
    ...error,
    ...(cause && { cause: mapErrors(cause, change) }),
    ...(errors && { errors: errors.map((each) => mapErrors(each, change)) }),
  });
}

const isOfAuthor = ({ of }: CodeFrame): boolean => of === 'author';

function withoutInnerFrames({ frames, ...error }: ThrownError): ThrownError {
  return frames ? { ...error, frames: frames.filter(isOfAuthor).slice(0, 3) } : error;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
