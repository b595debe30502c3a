import { setImmediate } from 'node:timers/promises';

/** With this many waiting events, `push` waits until they are written. */
const MAX_WAITING = 64;
/** Most events of one batch: bounds the time that Redis spends in one script. */
const MAX_BATCH = 32;

let end: Promise<void> | undefined;

/** Resolves at the end of this turn of the event loop. All batchers share it, so their events are sent together. */
function endOfTick(): Promise<void> {
  end ??= setImmediate().then(() => {
    end = undefined;
  });
  return end;
}

/**
 * Writes events in order, in batches. While one batch is written, the next one fills: a slow stream is written event by
 * event, a fast one in batches, and no event waits for a timer.
 */
export class EventBatcher<Entry> {
  readonly #write: (batch: readonly Entry[]) => Promise<void>;
  #waiting: Entry[] = [];
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(write: (batch: readonly Entry[]) => Promise<void>) {
    this.#write = write;
  }

  /** @param isAwaited resolves when written, otherwise when there is room. Rejects once a batch has failed. */
  async push(entry: Entry, isAwaited: boolean): Promise<void> {
    this.#rethrow();
    this.#waiting.push(entry);
    this.#writing ??= this.#writeAll();
    if (isAwaited || this.#waiting.length >= MAX_WAITING) await this.flushed();
    this.#rethrow();
  }

  /** Resolves when no event waits, also after a failure. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  /** Resolves when everything is written. Rejects once a batch has failed. */
  async written(): Promise<void> {
    await this.#writing;
    this.#rethrow();
  }

  async #writeAll(): Promise<void> {
    // Events of one turn of the event loop are sent together, such as an agent's "working" and its quick answer.
    await endOfTick();
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
