import { setImmediate } from 'node:timers/promises';

/** Chunks that may wait before whoever publishes the next one has to wait, too. */
const MAX_WAITING = 64;
/** Events of one batch: bounds the time that Redis spends in one script. */
const MAX_BATCH = 32;

let end: Promise<void> | undefined;

/** The end of this turn of the event loop: the same for all tails, so that what is said in it can leave together. */
function endOfTurn(): Promise<void> {
  end ??= setImmediate().then(() => {
    end = undefined;
  });
  return end;
}

/**
 * One ordered tail of events. While a batch is on its way the next one gathers: a slow stream is written event by
 * event, a fast one in batches, and nobody waits for a timer.
 */
export class Tail<Entry> {
  readonly #write: (batch: readonly Entry[]) => Promise<void>;
  #waiting: Entry[] = [];
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(write: (batch: readonly Entry[]) => Promise<void>) {
    this.#write = write;
  }

  /** @param isAwaited resolve when written; otherwise when there is room. Rejects once a batch has failed. */
  async push(entry: Entry, isAwaited: boolean): Promise<void> {
    this.#rethrow();
    this.#waiting.push(entry);
    this.#writing ??= this.#writeAll();
    if (isAwaited || this.#waiting.length >= MAX_WAITING) await this.drained();
    this.#rethrow();
  }

  /** Resolves, also after a failure, when nothing waits. */
  async drained(): Promise<void> {
    await this.#writing;
  }

  /** Resolves when everything is written. Rejects once a batch has failed. */
  async written(): Promise<void> {
    await this.#writing;
    this.#rethrow();
  }

  async #writeAll(): Promise<void> {
    // What is published in one turn of the event loop leaves together, such as an agent's "working" and its quick
    // answer.
    await endOfTurn();
    while (this.#waiting.length && !this.#failure) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      await this.#write(batch).catch((error: unknown) => {
        this.#failure = { error };
      });
    }
    this.#writing = undefined;
  }

  #rethrow(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
