/**
 * Why an attempt at a message, a step or a call failed. For operators only: no client of any binding gets it.
 *
 * - `threw`: the agent's code threw, or left a rejected promise unhandled.
 * - `ended-by-agent`: the agent's code ended the task as failed or rejected itself.
 * - `input-refused`: the message does not have the input that the agent takes.
 * - `model-refused`: a model refused the request for good, or gave an answer that cannot be used.
 * - `remote-refused`: a remote agent refused the message, or cannot be called.
 * - `file-refused`: a file of the message cannot be read, or one of the agent cannot be stored.
 * - `program-failed`: the program of the agent failed, or could not be started.
 * - `misuse`: the agent used its turn wrongly, for example it returned without an outcome.
 * - `over-limit`: the agent wrote more than a limit allows.
 * - `budget-spent`: a budget for models is spent.
 * - `timed-out`: the turn took longer than the agent's `turnTimeoutMs`.
 * - `retry-asked`: the agent asked for another attempt with a RetryableError.
 * - `call-failed`: a call of another agent did not succeed.
 * - `not-begun`: no worker began the message in its time to live.
 * - `worker-lost`: the worker stopped, or lost Redis, while it ran the attempt.
 * - `worker-blocked`: the agent's code kept its worker busy for too long, so the worker was ended.
 * - `worker-exited`: the agent's code ended its worker's process.
 * - `not-written`: the worker could not write to Redis. The attempt does not count.
 * - `canceled`, `taken-over`, `shutdown`: the attempt was interrupted for this reason.
 */
export const failureKinds = [
  'threw',
  'ended-by-agent',
  'input-refused',
  'model-refused',
  'remote-refused',
  'file-refused',
  'program-failed',
  'misuse',
  'over-limit',
  'budget-spent',
  'timed-out',
  'retry-asked',
  'call-failed',
  'not-begun',
  'worker-lost',
  'worker-blocked',
  'worker-exited',
  'not-written',
  'canceled',
  'taken-over',
  'shutdown',
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** A place in code. */
export interface CodePlace {
  /** Relative to the folder of the worker's process where possible; for a package, from its name on. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text of the line, if the worker could read it. */
  readonly source?: string | undefined;
}

/** A frame of a stack. `of`: whose code it is. */
export interface CodeFrame extends CodePlace {
  readonly function?: string | undefined;
  readonly of: 'author' | 'package' | 'switchyard' | 'node';
}

/** An error as it is kept: redacted and bounded like a log line. */
export interface ThrownError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number | undefined;
  /** Status of the HTTP response that it is about. */
  readonly status?: number | undefined;
  /** In the order of the stack. */
  readonly frames?: readonly CodeFrame[] | undefined;
  readonly cause?: ThrownError | undefined;
  /** Of an AggregateError. */
  readonly errors?: readonly ThrownError[] | undefined;
}

/** Why something failed, as its worker reports it. */
export interface FailureReport {
  readonly kind: FailureKind;
  /** One line. */
  readonly message: string;
  /** What failed. Default: the whole attempt. */
  readonly of?: 'attempt' | 'step' | 'call' | undefined;
  /** Name of the step, or id of the called agent. */
  readonly name?: string | undefined;
  /** Id of the called task, if a call failed that has one. */
  readonly calledTask?: string | undefined;
  /** The first line of the author's code in the stacks. */
  readonly place?: CodePlace | undefined;
  readonly error?: ThrownError | undefined;
  /** The time to the next attempt that the agent asked for. */
  readonly retryAfterMs?: number | undefined;
  readonly attempt?: number | undefined;
  readonly worker?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
}

/** What a turn knows of its failure, before it is made safe to keep. */
export interface TurnFault {
  readonly kind: FailureKind;
  /** The thrown value. */
  readonly error: unknown;
}
