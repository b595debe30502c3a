import type { ByteBudget } from './byte-budget.ts';

/**
 * What a large task takes of the budget: once, while it is read and sent. A reference alone takes nothing,
 * so nothing has to be given back.
 */
export class Share {
  readonly #budget: ByteBudget;
  readonly #bytes: number;
  #readers = 0;
  #isExpected = false;

  constructor(budget: ByteBudget, bytes: number) {
    this.#budget = budget;
    this.#bytes = bytes;
  }

  /** For those who are about to have it, until `settle`. @throws {AnswersTooLarge} */
  expect(): void {
    if (!this.#isTaken) this.#budget.require(this.#bytes);
    this.#isExpected = true;
  }

  /** Those who asked for it are its readers by now, or do without. */
  settle(): void {
    if (this.#isExpected && this.#readers === 0) this.#budget.give(this.#bytes);
    this.#isExpected = false;
  }

  /** As `settle`, once all who wait for it just now had their turn. */
  settleSoon(): void {
    setImmediate(() => this.settle());
  }

  /** For a reader, until `release`. */
  retain(): void {
    if (!this.#isTaken) this.#budget.take(this.#bytes);
    this.#readers++;
  }

  release(): void {
    this.#readers--;
    if (!this.#isTaken) this.#budget.give(this.#bytes);
  }

  /** Instead of the task, so many bytes that are made of it. @throws {AnswersTooLarge} */
  retainInstead(bytes: number): Disposable {
    this.settle();
    this.#budget.require(bytes);
    return { [Symbol.dispose]: () => this.#budget.give(bytes) };
  }

  get #isTaken(): boolean {
    return this.#isExpected || this.#readers > 0;
  }
}
