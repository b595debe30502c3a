/** More is being sent to clients than this process may hold. */
export class AnswersTooLarge extends Error {
  override readonly name = 'AnswersTooLarge';

  constructor() {
    super('This process holds all that it may of answers to clients.');
  }
}

/** Bytes that all readers of a process may hold together. */
export class ByteBudget {
  readonly #bytes: number;
  #taken = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** What is held just now. */
  get taken(): number {
    return this.#taken;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#taken + bytes <= this.#bytes;
  }

  take(bytes: number): void {
    this.#taken += bytes;
  }

  /** As `take`; where nothing is held, anything is taken. @throws {AnswersTooLarge} */
  require(bytes: number): void {
    if (this.#taken > 0 && !this.hasRoomFor(bytes)) throw new AnswersTooLarge();
    this.take(bytes);
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }
}
