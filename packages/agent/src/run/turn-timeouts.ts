import type { TurnJournal } from '../journal/turn-journal.ts';
import { TurnInterruption } from '../port/turn-interruption.ts';

export interface TurnLimits {
  /** From the start of the turn to its interruption. */
  readonly timeoutMs: number;
  /** From the interruption to the end of the turn. */
  readonly graceMs: number;
  /** Aborted when the worker interrupts the turn. */
  readonly signal: AbortSignal;
}

/**
 * Interrupts a turn at its deadline or by the worker's signal, and resolves `graceOver` if the executor does not stop
 * in time.
 */
export class TurnTimeouts implements Disposable {
  readonly #journal: TurnJournal;
  readonly #signal: AbortSignal;
  readonly #graceOver = Promise.withResolvers<void>();
  readonly #deadline: NodeJS.Timeout;
  #grace: NodeJS.Timeout | undefined;

  constructor(journal: TurnJournal, { timeoutMs, graceMs, signal }: TurnLimits) {
    this.#journal = journal;
    this.#signal = signal;
    journal.pace.endsAt = performance.now() + timeoutMs;
    this.#deadline = setTimeout(() => journal.interrupt(new TurnInterruption('deadline')), timeoutMs);
    journal.signal.addEventListener('abort', () => {
      this.#grace = setTimeout(this.#graceOver.resolve, graceMs);
    });
    if (signal.aborted) this.#passOn();
    else signal.addEventListener('abort', this.#passOn, { once: true });
  }

  /** Resolves when the grace period after an interruption is over; never resolves if the turn ends in time. */
  get graceOver(): Promise<void> {
    return this.#graceOver.promise;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#grace);
    this.#signal.removeEventListener('abort', this.#passOn);
  }

  readonly #passOn = (): void => this.#journal.interrupt(TurnInterruption.from(this.#signal.reason));
}
