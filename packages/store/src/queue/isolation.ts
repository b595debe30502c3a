import { ALONE_WITHIN_MS, type LoneRun, ProcessLoad, type Slots } from './slots.ts';

/**
 * A suspect is a job at its last attempt whose process died while other jobs ran there: any of them may have killed it.
 * Gives a process to one suspect at a time, so that a message that kills its process takes no other turn with it. Turns
 * that wait for others do not count. While the suspect itself waits for a turn, one awaited turn at a time runs here. If
 * other turns run for long, the suspect runs beside them, and those that have waited beside it: they have attempts left.
 * Before an agent runs beside another one, or while a suspect waits, Redis is told which of them had the process to
 * themselves: if it dies, they are not taken for what killed it.
 */
export class Isolation {
  /** The turns of all queues. */
  readonly load = new ProcessLoad();
  readonly #slots = new Set<Slots>();
  /** `isolated`: a suspect runs, or waits until it is alone. */
  #state: 'free' | 'claimed' | 'isolated' = 'free';
  #isAlone: (() => void) | undefined;

  /** Adds the slots of a queue that this process serves, which count in `load`. */
  join(slots: Slots): void {
    this.#slots.add(slots);
    slots.onChange(() => this.#onChange());
    if (this.#state === 'isolated') slots.isolate(true);
  }

  leave(slots: Slots): void {
    this.#slots.delete(slots);
  }

  /** @returns whether a suspect may be taken: then call `run`, or `free` if there is none */
  claim(): boolean {
    if (this.#state !== 'free') return false;
    this.#state = 'claimed';
    return true;
  }

  free(): void {
    this.#state = 'free';
  }

  /** Runs the claimed suspect once it is alone. It holds a slot. */
  async run(suspect: LoneRun, run: () => Promise<void>): Promise<void> {
    this.#state = 'isolated';
    for (const slots of this.#slots) slots.isolate(true);
    try {
      await this.#alone();
      await this.load.runAlone(suspect, run);
    } finally {
      // Awaited turns may still run, and others begin.
      await this.load.share();
      this.free();
      for (const slots of this.#slots) slots.isolate(false);
    }
  }

  #alone(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(late);
        this.#isAlone = undefined;
        resolve();
      };
      const late = setTimeout(end, ALONE_WITHIN_MS);
      this.#isAlone = end;
      this.#onChange();
    });
  }

  /** A turn of any queue has ended, or waits. */
  #onChange(): void {
    if (this.#state !== 'isolated') return;
    if (this.load.active <= 1) this.#isAlone?.();
    for (const slots of this.#slots) slots.review();
  }
}
