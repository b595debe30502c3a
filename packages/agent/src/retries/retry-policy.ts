import { checkAll, checkRange } from '../checks/checks.ts';

/** A backoff that doubles. */
export interface Backoff {
  /**
   * Backoff before the second attempt in milliseconds, at most an hour. It doubles for each further attempt, with a
   * jitter of up to half. Default: 1,000.
   */
  readonly backoffMs: number;
  /** Longest backoff in milliseconds, at most a day. Default: 60,000. */
  readonly maxBackoffMs: number;
}

/** How a turn is retried after a `RetryableError`, or after its worker died. */
export interface RetryPolicy extends Backoff {
  /**
   * Attempts at a turn, 1 to 100; then its task fails, and its message becomes a dead letter. Default: the deployment's
   * `MAX_ATTEMPTS`.
   */
  readonly attempts?: number | undefined;
  /**
   * Longest `retryAfterMs` of a `RetryableError`, such as a model's Retry-After, that is honoured; at most a day.
   * Default: 900,000.
   */
  readonly maxRetryAfterMs: number;
}

const defaults: RetryPolicy = { backoffMs: 1_000, maxBackoffMs: 60_000, maxRetryAfterMs: 900_000 };

const hourMs = 3_600_000;
/** The highest value of each field. */
export const highest: Readonly<Record<keyof RetryPolicy, number>> = {
  attempts: 100,
  backoffMs: hourMs,
  maxBackoffMs: 24 * hourMs,
  maxRetryAfterMs: 24 * hourMs,
};

/** @param at before the name of a field. @throws {TypeError} naming every field that is out of range */
export function retryPolicy(given: Partial<RetryPolicy> = {}, at = 'retry.'): RetryPolicy {
  const policy = { ...defaults, ...given };
  const inRange = (name: keyof RetryPolicy) => () =>
    policy[name] === undefined || checkRange(`${at}${name}`, policy[name], highest[name]);
  checkAll({
    attempts: inRange('attempts'),
    backoffMs: inRange('backoffMs'),
    maxBackoffMs: inRange('maxBackoffMs'),
    maxRetryAfterMs: inRange('maxRetryAfterMs'),
  });
  return policy;
}

/**
 * Milliseconds to the next attempt: the requested delay, up to the policy's limit, or the policy's backoff. An agent
 * may request NaN, from a Retry-After that it cannot read.
 *
 *     const delayMs = retryDelayMs(agent.retry, 2, Number('120') * 1_000);
 */
export function retryDelayMs(retry: Omit<RetryPolicy, 'attempts'>, attempt: number, requestedMs = Number.NaN): number {
  return Number.isNaN(requestedMs) ? backoffDelayMs(retry, attempt) : Math.min(requestedMs, retry.maxRetryAfterMs);
}

/**
 * Milliseconds to wait after this number of attempts: exponential, with a jitter of up to half, so that callers that
 * failed together do not retry together.
 *
 *     const delayMs = backoffDelayMs({ backoffMs: 1_000, maxBackoffMs: 60_000 }, 3); // 2,000 to 4,000
 */
export function backoffDelayMs({ backoffMs, maxBackoffMs }: Backoff, attempts: number): number {
  const longest = Math.min(backoffMs * 2 ** Math.min(attempts - 1, 30), maxBackoffMs);
  return longest * (0.5 + Math.random() / 2);
}
