/** The places of a worker: how many jobs it may run at once, and those that have one, by the tokens with which they were taken. */
export class Places {
  readonly count: number;
  readonly #taken = new Set<string>();
  /** For jobs that were asked for. */
  #reserved = 0;
  #isOpen = true;

  constructor(count: number) {
    this.count = count;
  }

  get free(): number {
    return this.#isOpen ? this.count - this.#taken.size - this.#reserved : 0;
  }

  /** None is free until they are opened again. */
  close(): void {
    this.#isOpen = false;
  }

  open(): void {
    this.#isOpen = true;
  }

  reserve(count: number): void {
    this.#reserved += count;
  }

  /** What was reserved is free, or about to be entered. */
  giveUp(count: number): void {
    this.#reserved -= count;
  }

  enter(token: string): void {
    this.#taken.add(token);
  }

  leave(token: string): void {
    this.#taken.delete(token);
  }
}
