/** The places of a worker: how many jobs it may run at once, and those that have one, by the tokens with which they were taken. */
export class Places {
  readonly count: number;
  readonly #taken = new Set<string>();

  constructor(count: number) {
    this.count = count;
  }

  get free(): number {
    return this.count - this.#taken.size;
  }

  enter(token: string): void {
    this.#taken.add(token);
  }

  leave(token: string): void {
    this.#taken.delete(token);
  }
}
