import type { JobOutcome, TurnJob } from '@switchyard/store';

/** Until a suspect asks again whether it may run. */
const ASK_AGAIN_MS = 250;

/**
 * Jobs whose workers died again and again: one of them may be what kills them, and takes along whatever runs beside it.
 * So that the others do not spend their last attempt on it, a process runs one suspect at a time. Those that wait have not
 * begun their turn, so they lose nothing should the process die.
 */
export class Quarantine {
  readonly #suspiciousAfter: number;
  #isTaken = false;

  /** @param suspiciousAfter workers of a job that died */
  constructor(suspiciousAfter: number) {
    this.#suspiciousAfter = suspiciousAfter;
  }

  async admit({ stalled = 0 }: TurnJob, run: () => Promise<JobOutcome>): Promise<JobOutcome> {
    if (stalled < this.#suspiciousAfter) return run();
    if (this.#isTaken) return { retryAfterMs: ASK_AGAIN_MS };
    this.#isTaken = true;
    try {
      return await run();
    } finally {
      this.#isTaken = false;
    }
  }
}
