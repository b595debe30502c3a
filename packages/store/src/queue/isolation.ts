import type { Slots } from './slots.ts';

/**
 * A process that does not get rid of its other turns in this time runs a suspect beside them: they have attempts left.
 */
const ALONE_WITHIN_MS = 30_000;

/**
 * One suspect at a time has a process to itself: should it be what killed its processes, it takes no other turn along.
 * Turns that wait for others do not count, nor do those that turns of this process wait for: they must run for it to
 * become free.
 */
export class Isolation {
  readonly #slots = new Set<Slots>();
  #isClaimed = false;
  #onChange: () => void = () => undefined;

  /** Slots of this process: all agents have theirs. */
  join(slots: Slots): void {
    this.#slots.add(slots);
    slots.onChange(() => this.#onChange());
  }

  leave(slots: Slots): void {
    this.#slots.delete(slots);
  }

  /** @returns whether a suspect may be taken, to be run by `run`; if there is none, `release` */
  claim(): boolean {
    if (this.#isClaimed) return false;
    this.#isClaimed = true;
    return true;
  }

  release(): void {
    this.#isClaimed = false;
  }

  /** Runs the suspect for which this was claimed, when it is alone. It holds a slot. */
  async run(suspect: () => Promise<void>): Promise<void> {
    for (const slots of this.#slots) slots.isolate(true);
    try {
      await this.#alone();
      await suspect();
    } finally {
      this.release();
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
