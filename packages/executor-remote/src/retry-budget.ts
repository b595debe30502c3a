import { setTimeout as delay } from 'node:timers/promises';
import { showWait, UnavailableError } from '@switchyard/agent/runtime';
import type { RemoteError } from './answers/remote-error.ts';

const firstPauseMs = 100;
const maxPauseMs = 5_000;

/** Bounds how long an agent may be unreachable: pauses between attempts double until the time is used up. */
export class RetryBudget {
  readonly #budgetMs: number;
  /** Time of the first failure in a row, as performance.now(). */
  #failedAt: number | undefined;
  #pauseMs = firstPauseMs;

  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs;
  }

  /** Call it when the agent has answered. */
  reset(): void {
    if (this.#failedAt !== undefined) showWait(undefined);
    this.#failedAt = undefined;
    this.#pauseMs = firstPauseMs;
  }

  /**
   * Waits before the next attempt; until `reset`, operators see why.
   * @throws {RetryableError} the time is used up, or the reason of the signal
   */
  async wait(error: RemoteError, signal: AbortSignal): Promise<void> {
    const { retryAfterMs } = error;
    this.#failedAt ??= performance.now();
    showWait({ for: 'remote-agent', text: error.message });
    const leftMs = this.#failedAt + this.#budgetMs - performance.now();
    const pauseMs = Math.max(this.#pauseMs, retryAfterMs ?? 0);
    if (pauseMs > leftMs)
      throw new UnavailableError('remote-unreachable', 'The remote agent cannot be reached.', {
        retryAfterMs,
        cause: error,
      });
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
