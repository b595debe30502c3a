import { checkNames, checkRange } from '../checks/checks.ts';
import { AgentError, TurnEnded, TurnMisuseError } from '../port/turn-errors.ts';
import { TurnInterruption } from '../port/turn-interruption.ts';
import { highest, type RetryPolicy, retryDelayMs, retryPolicy } from '../retries/retry-policy.ts';
import { longestTimeoutMs } from '../timeouts/timeouts.ts';

/**
 * How a step is retried within its turn, without another attempt at the turn.
 *
 *     const options: StepOptions = { attempts: 4, backoffMs: 500, timeoutMs: 10_000 };
 */
export interface StepOptions extends Partial<Omit<RetryPolicy, 'attempts'>> {
  /**
   * Attempts at the step in one attempt at its turn, 1 to 100. Default: 1, so its first error is the agent's to handle.
   * After the last attempt the step throws the error of that one.
   */
  readonly attempts?: number;
  /**
   * Longest duration of each attempt in milliseconds, at most 24 days; then its signal is aborted, its later events are
   * refused, and it has failed with a `StepTimedOut`. Default: as long as the turn may take.
   */
  readonly timeoutMs?: number;
  /**
   * Whether to retry after this error. Default: after any. Never retried are an `AgentError`, a `TurnMisuseError`, and
   * what a turn throws that was interrupted.
   */
  readonly retryOn?: (error: unknown) => boolean;
}

/**
 * One attempt at a step, as its function gets it.
 *
 *     const ask = ({ signal }: StepAttempt) => fetch('https://prices.example/salami', { signal });
 *     const status = await turn.step('price', async (attempt) => (await ask(attempt)).status);
 */
export interface StepAttempt {
  readonly name: string;
  /** 1, 2, … in this attempt at the turn. */
  readonly attempt: number;
  /** True when an error of this attempt is the error of the step. */
  readonly isLastAttempt: boolean;
  /** Aborted at the step's `timeoutMs`, and when the turn must stop. */
  readonly signal: AbortSignal;
}

/**
 * An attempt at a step took longer than the step's `timeoutMs`.
 *
 *     const options = { attempts: 3, timeoutMs: 5_000, retryOn: (error: unknown) => error instanceof StepTimedOut };
 *     const price = await turn.step('price', ({ signal }) => askPrice(turn.text, signal), options);
 */
export class StepTimedOut extends Error {
  override readonly name = 'StepTimedOut';

  constructor(step: string, timeoutMs: number) {
    super(`The step "${step}" took longer than ${timeoutMs} ms.`);
  }
}

const names = { ...highest, timeoutMs: true, retryOn: true } satisfies Record<keyof StepOptions, unknown>;

/** When a step is retried. */
export class StepPolicy {
  readonly attempts: number;
  readonly timeoutMs: number | undefined;
  readonly #retry: RetryPolicy;
  readonly #retryOn: (error: unknown) => boolean;

  /** @throws {TurnMisuseError} naming the option that is out of range */
  constructor(step: string, { timeoutMs, retryOn = () => true, attempts = 1, ...backoff }: StepOptions) {
    try {
      checkNames('', backoff, names);
      this.#retry = retryPolicy({ attempts, ...backoff }, '');
      if (timeoutMs !== undefined) checkRange('timeoutMs', timeoutMs, longestTimeoutMs);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : cause;
      throw new TurnMisuseError(`The step "${step}" cannot run: ${why}`, { cause });
    }
    this.attempts = attempts;
    this.timeoutMs = timeoutMs;
    this.#retryOn = retryOn;
  }

  /** Milliseconds from this error to the next attempt; undefined: there is none. */
  delayMs(error: unknown, attempt: number): number | undefined {
    if (attempt >= this.attempts || isFinal(error) || !this.#retryOn(error)) return undefined;
    return retryDelayMs(this.#retry, attempt, requestedMs(error));
  }
}

function isFinal(error: unknown): boolean {
  return [AgentError, TurnMisuseError, TurnEnded, TurnInterruption].some((kind) => error instanceof kind);
}

/** The `retryAfterMs` of any error that has one, such as a `RetryableError`. */
function requestedMs(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('retryAfterMs' in error)) return undefined;
  const { retryAfterMs } = error;
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : undefined;
}
