/** Added to DRAIN_MS: 5 s in which agents clean up; and time to hand their turns back, or to end streams. */
const AFTER_DRAIN_MS = 8_000;

/** How long a gateway or worker may take to stop. */
export function stopLimitMs(drainMs: number): number {
  return drainMs + AFTER_DRAIN_MS;
}

/**
 * Calls `giveUp`, which ends the process, if it still runs after `stopLimitMs`: what its stop waits for, such as a Redis
 * that is away, may never come.
 */
export function limitStop(drainMs: number, giveUp: () => void): void {
  setTimeout(giveUp, stopLimitMs(drainMs)).unref();
}
