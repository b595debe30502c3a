import type { FailureKind } from '@switchyard/protocol';
import { TurnInterruption } from './turn-interruption.ts';

/** Options of `RetryableError`. */
export interface RetryOptions {
  /**
   * Time to the next attempt in milliseconds, up to the agent's `retry.maxRetryAfterMs`. Default: the agent's backoff.
   */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Throw it when the same turn may succeed later: a rate limit, an unreachable server. The client sees `message` only
 * when no attempts are left; `cause` is only logged.
 *
 *     const response = await fetch('https://prices.example/salami', { signal: turn.signal });
 *     if (response.status === 503) throw new RetryableError('The price service is down.', { retryAfterMs: 10_000 });
 */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { retryAfterMs, cause }: RetryOptions = {}) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Throw it to end the task FAILED with exactly this message for the client. `cause` is only logged.
 *
 *     if (turn.text === '') throw new AgentError('Please say which pizza you want.');
 */
export class AgentError extends Error {
  override readonly name = 'AgentError';
}

/** What refuses a turn although its agent's code does not. */
export type RefusalKind = Extract<FailureKind, 'model-refused' | 'remote-refused' | 'file-refused' | 'program-failed'>;

/** Options of `RefusedError`. */
interface RefusalOptions {
  readonly cause?: unknown;
  /** Of the HTTP response that refused. */
  readonly status?: number | undefined;
  /** For the advice to operators: `quota`. */
  readonly code?: string | undefined;
}

/**
 * Ends the task like an `AgentError`, for a reason that the agent's code has not given: operators read what refused, and
 * what to change. For executors.
 *
 *     throw new RefusedError('program-failed', 'The program failed with exit code 1.');
 */
export class RefusedError extends AgentError {
  readonly kind: RefusalKind;
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(kind: RefusalKind, message: string, { cause, status, code }: RefusalOptions = {}) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.code = code;
  }
}

/** What an executor got no answer from, or none that can be used: for the advice to operators. */
export type UnavailableCode =
  | `model-${'unreachable' | 'silent' | 'busy' | 'failed' | 'form' | 'broken-off' | 'odd-end' | 'empty' | 'schema'}`
  | 'remote-unreachable';

/**
 * As a `RetryableError`, for a reason that the agent's code has not given: operators read what to look at. For executors.
 *
 *     throw new UnavailableError('model-silent', 'The model did not answer in time.');
 */
export class UnavailableError extends RetryableError {
  readonly code: UnavailableCode;

  constructor(code: UnavailableCode, message: string, options: RetryOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A write after the turn has lost its task: the task was canceled or has ended, or another worker took the turn over.
 * Stop working; it is not an error of the agent.
 *
 *     try {
 *       await turn.working('Half done');
 *     } catch (error) {
 *       if (error instanceof TurnEnded) await fetch('https://printer.example/jobs/7', { method: 'DELETE' });
 *       throw error;
 *     }
 */
export class TurnEnded extends Error {
  override readonly name = 'TurnEnded';
  readonly reason: TurnInterruption;

  constructor(reason: TurnInterruption = new TurnInterruption('taken-over')) {
    super(`The turn has ended: ${reason.message}`, { cause: reason });
    this.reason = reason;
  }
}

/**
 * A mistake in the agent's code: publishing after the outcome, an append to a finished artifact, a turn without an
 * outcome.
 *
 *     await turn.complete('Done.');
 *     await turn.working('One more thing').catch((error) => console.assert(error instanceof TurnMisuseError));
 */
export class TurnMisuseError extends Error {
  override readonly name = 'TurnMisuseError';
}
