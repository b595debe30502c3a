import { RefusedError, UnavailableError } from '../port/turn-errors.ts';
import { finishOf } from './finish-reason.ts';

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, unless the model made an error. */
  readonly arguments: string;
}

/** An answer of a model: text, and tool calls. One of the two may be empty. It is stored as JSON. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The model has not ended: it goes on when it gets its answer back. */
  readonly isPaused?: boolean;
}

/**
 * Checks that an answer is complete, by the reason that its server gives for its end.
 *
 *     checkFinish('stop');
 *
 * @param wholeReasons those that end a whole answer, besides the known ones
 * @throws {AgentError} a limit cut the answer off, or a filter withheld it: a retry would not help
 * @throws {UnavailableError} the server failed, or the reason is not known
 */
export function checkFinish(reason: string, wholeReasons: readonly string[] = []): void {
  if (wholeReasons.includes(reason)) return;
  const finish = finishOf(reason);
  if (finish === 'whole') return;
  const cause = new Error(`finish_reason: ${JSON.stringify(reason.slice(0, 100))}`);
  if (finish === 'cut-off')
    throw new RefusedError('model-refused', 'The answer of the model was cut off at its length limit.', {
      cause,
      code: 'cut-off',
    });
  if (finish === 'withheld')
    throw new RefusedError('model-refused', 'The answer of the model was withheld by its content filter.', { cause });
  if (finish === 'failed')
    throw new UnavailableError('model-failed', 'The model failed before the end of its answer.', { cause });
  const hint = `${cause.message} is not known. If it ends a whole answer, add it to the setting wholeReasons.`;
  throw new UnavailableError('model-odd-end', 'The answer of the model ended in an unknown way.', {
    cause: new Error(hint),
  });
}

/**
 * The error of a model that has said nothing.
 *
 *     throw noAnswer();
 */
export const noAnswer = (): UnavailableError => new UnavailableError('model-empty', 'The model gave no answer.');

/**
 * The error of an answer that is not whole.
 *
 *     throw brokenOff('The answer has no finish reason.');
 *
 * @param cause for operators: an error, or what is missing
 */
export function brokenOff(cause: Error | string): UnavailableError {
  const reason = typeof cause === 'string' ? new Error(cause) : cause;
  return new UnavailableError('model-broken-off', 'The answer of the model broke off.', { cause: reason });
}
