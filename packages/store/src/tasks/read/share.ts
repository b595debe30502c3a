import type { ByteBudget } from './byte-budget.ts';

/**
 * The part of the budget that a large task takes: once, while it is read and sent. A reference alone takes nothing, so
 * nothing has to be given back for it.
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

  /** Takes the bytes for callers that are about to send the task, until `settle`. @throws {AnswersTooLarge} */
  expect(): void {
    if (!this.#isTaken) this.#budget.require(this.#bytes);
    this.#isExpected = true;
  }

  /** Gives the bytes back, unless the callers of `expect` have called `retain` meanwhile. */
  settle(): void {
    if (this.#isExpected && this.#readers === 0) this.#budget.give(this.#bytes);
    this.#isExpected = false;
  }

  /** As `settle`, after all callers that wait for the task now have run. */
  settleSoon(): void {
    setImmediate(() => this.settle());
  }

  /** Takes the bytes for a reader, until `release`. */
  retain(): void {
    if (!this.#isTaken) this.#budget.take(this.#bytes);
    this.#readers++;
  }

  release(): void {
    this.#readers--;
    if (!this.#isTaken) this.#budget.give(this.#bytes);
  }

  /** Takes this many bytes instead, for a translation of the task. @throws {AnswersTooLarge} */
  retainInstead(bytes: number): Disposable {
    this.settle();
    this.#budget.require(bytes);
    return { [Symbol.dispose]: () => this.#budget.give(bytes) };
  }

  get #isTaken(): boolean {
    return this.#isExpected || this.#readers > 0;
  }
}
