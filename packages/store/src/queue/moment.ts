/**
 * A moment on two clocks. The monotonic clock stands still while the machine sleeps, or its virtual machine is
 * suspended; the wall clock goes on, but can be set.
 */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function currentMoment(): Moment {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** The ms since then that either clock shows: never less than the time for which the process ran. */
export function elapsedMs(since: Moment): number {
  return Math.max(performance.now() - since.monotonicMs, Date.now() - since.wallMs);
}
