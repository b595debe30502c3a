import type { Slots } from './slots.ts';

/**
 * If the other turns of the process still run after this time, the suspect runs beside them: they have attempts left.
 */
const ALONE_WITHIN_MS = 30_000;

/**
 * A suspect is a job at its last attempt whose process died while other jobs ran there: any of them may have killed it.
 * Gives a process to one suspect at a time, so that a message that kills its process takes no other turn with it. Turns
 * that wait for others do not count, nor do those they wait for, which must run for the process to become free.
 */
export class Isolation {
  readonly #slots = new Set<Slots>();
  #isClaimed = false;
  #onChange: () => void = () => undefined;

  /** Adds the slots of a queue that this process serves. */
  join(slots: Slots): void {
    this.#slots.add(slots);
    slots.onChange(() => this.#onChange());
  }

  leave(slots: Slots): void {
    this.#slots.delete(slots);
  }

  /** @returns whether a suspect may be taken: then call `run`, or `free` if there is none */
  claim(): boolean {
    if (this.#isClaimed) return false;
    this.#isClaimed = true;
    return true;
  }

  free(): void {
    this.#isClaimed = false;
  }

  /** Runs the claimed suspect once it is alone. It holds a slot. */
  async run(suspect: () => Promise<void>): Promise<void> {
    for (const slots of this.#slots) slots.isolate(true);
    try {
      await this.#alone();
      await suspect();
    } finally {
      this.free();
      for (const slots of this.#slots) slots.isolate(false);
    }
  }

  #alone(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(late);
        this.#onChange = () => undefined;
        resolve();
      };
      const late = setTimeout(end, ALONE_WITHIN_MS);
      this.#onChange = () => {
        if ([...this.#slots].reduce((sum, { active }) => sum + active, 0) <= 1) end();
      };
      this.#onChange();
    });
  }
}
