/** How a turn is retried after a `RetryableError`, or after its worker died. */
export interface RetryPolicy {
  /**
   * Attempts at a turn, 1 to 100; then its task fails, and its message becomes a dead letter. Default: the deployment's
   * `MAX_ATTEMPTS`.
   */
  readonly attempts?: number | undefined;
  /**
   * Backoff before the second attempt in milliseconds, at most an hour. It doubles for each further attempt, with a
   * jitter of up to half. Default: 1,000.
   */
  readonly backoffMs: number;
  /** Longest backoff in milliseconds, at most a day. Default: 60,000. */
  readonly maxBackoffMs: number;
  /**
   * Longest `retryAfterMs` of a `RetryableError`, such as a model's Retry-After, that is honoured; at most a day.
   * Default: 900,000.
   */
  readonly maxRetryAfterMs: number;
}

const defaults: RetryPolicy = { backoffMs: 1_000, maxBackoffMs: 60_000, maxRetryAfterMs: 900_000 };

const hourMs = 3_600_000;
const highest: Readonly<Record<keyof RetryPolicy, number>> = {
  attempts: 100,
  backoffMs: hourMs,
  maxBackoffMs: 24 * hourMs,
  maxRetryAfterMs: 24 * hourMs,
};

/** @throws {TypeError} naming the field that is out of range */
export function retryPolicy(given: Partial<RetryPolicy> = {}): RetryPolicy {
  const policy = { ...defaults, ...given };
  checkRange('retry.backoffMs', policy.backoffMs, highest.backoffMs);
  checkRange('retry.maxBackoffMs', policy.maxBackoffMs, highest.maxBackoffMs);
  checkRange('retry.maxRetryAfterMs', policy.maxRetryAfterMs, highest.maxRetryAfterMs);
  if (policy.attempts !== undefined) checkRange('retry.attempts', policy.attempts, highest.attempts);
  return policy;
}

/** @throws {TypeError} */
export function checkRange(name: string, value: number, highest: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= highest) return;
  throw new TypeError(`its ${name} is ${value} and must be a whole number from 1 to ${highest}`);
}
