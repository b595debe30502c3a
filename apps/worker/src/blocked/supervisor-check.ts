/** A main thread that is not blocked sees the end of its supervisor at once, and ends the process in order. */
const NOTICED_WITHIN_MS = 2_000;

export interface SupervisorCheckOptions {
  /** How long this process may outlive its supervisor. */
  readonly outlivesMs: number;
  /** How long the main thread has been blocked. */
  readonly blockedMs: () => number;
}

/**
 * Ends this process after its supervisor's end, should the main thread be blocked then: it would be an orphan for ever.
 * @returns call it again and again
 */
export function supervisorCheck({ outlivesMs, blockedMs }: SupervisorCheckOptions): () => void {
  const supervisor = process.ppid;
  let goneAt: number | undefined;
  return () => {
    if (process.ppid === supervisor) return;
    const now = performance.now();
    goneAt ??= now;
    const mustEnd = now - goneAt >= outlivesMs || Math.min(now - goneAt, blockedMs()) >= NOTICED_WITHIN_MS;
    if (mustEnd) process.kill(process.pid, 'SIGKILL');
  };
}
