import { setTimeout as delay } from 'node:timers/promises';
import { RetryableError } from '@switchyard/agent';
import type { RemoteError } from './remote-error.ts';

const longestPauseMs = 5_000;

/** Waits for an agent that cannot be reached, longer each time, until that has gone on for too long. */
export class Endurance {
  readonly #patienceMs: number;
  #since: number | undefined;
  #pauseMs = 100;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** The agent has answered. */
  renew(): void {
    this.#since = undefined;
    this.#pauseMs = 100;
  }

  /** @throws {RetryableError} when patience is at its end, or the reason of the signal */
  async endure(error: RemoteError, signal: AbortSignal): Promise<void> {
    this.#since ??= Date.now();
    const leftMs = this.#since + this.#patienceMs - Date.now();
    const pauseMs = Math.max(this.#pauseMs, error.retryAfterMs ?? 0);
    if (pauseMs > leftMs) {
      const { retryAfterMs } = error;
      throw new RetryableError('The remote agent cannot be reached.', { retryAfterMs, cause: error });
    }
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
