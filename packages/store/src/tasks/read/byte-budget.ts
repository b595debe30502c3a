/** The process holds too many bytes of answers that it is sending. */
export class AnswersTooLarge extends Error {
  override readonly name = 'AnswersTooLarge';

  constructor() {
    super('This process already holds as many bytes of answers to clients as it may.');
  }
}

/** Bytes that all readers of a process may hold together. */
export class ByteBudget {
  readonly #bytes: number;
  #reserved = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Bytes that are held. */
  get reserved(): number {
    return this.#reserved;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#reserved + bytes <= this.#bytes;
  }

  take(bytes: number): void {
    this.#reserved += bytes;
  }

  /** As `take`, if there is room for them or nothing is held. @throws {AnswersTooLarge} */
  require(bytes: number): void {
    if (this.#reserved > 0 && !this.hasRoomFor(bytes)) throw new AnswersTooLarge();
    this.take(bytes);
  }

  give(bytes: number): void {
    this.#reserved -= bytes;
  }
}
