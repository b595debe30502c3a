export interface Backoff {
  /** Longest pause before the second attempt, in milliseconds; twice as long before each further one. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
}

/**
 * Milliseconds to wait after so many attempts: exponential, less up to half of it by chance, so that those who failed
 * together do not come back together.
 */
export function backoffDelayMs({ backoffMs, maxBackoffMs }: Backoff, attempts: number): number {
  const longest = Math.min(backoffMs * 2 ** Math.min(attempts - 1, 30), maxBackoffMs);
  return longest * (0.5 + Math.random() / 2);
}
