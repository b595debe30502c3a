import { Fifo } from './fifo.ts';

/** So many may go on at the same time; who comes when all places are taken waits, first come first served. */
export class Places {
  readonly #waiting = new Fifo<() => void>();
  #count: number;
  #taken = 0;

  constructor(count: number) {
    this.#count = count;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Places that are taken away are those that are left next. */
  resize(count: number): void {
    this.#count = count;
    this.#admit();
  }

  /** @param act has to `leave` in the end */
  take(act: () => void): void {
    this.#waiting.push(act);
    this.#admit();
  }

  leave(): void {
    this.#taken--;
    this.#admit();
  }

  #admit(): void {
    while (this.#taken < this.#count) {
      const act = this.#waiting.shift();
      if (!act) return;
      this.#taken++;
      act();
    }
  }
}
