import type { ByteBudget } from './byte-budget.ts';

/**
 * The part of the budget that a large task takes: once, while it is read and sent. A reference alone takes nothing, so
 * nothing has to be given back for it.
 */
export class Share {
  readonly #budget: ByteBudget;
  readonly #bytes: number;
  readonly #mostBytes: number;
  #readers = 0;
  #isReserved = false;

  /** @param mostBytes that `reserve` takes: for a translation, which counts more */
  constructor(budget: ByteBudget, bytes: number, mostBytes = bytes) {
    this.#budget = budget;
    this.#bytes = bytes;
    this.#mostBytes = mostBytes;
  }

  /** Takes the bytes for callers that are about to send the task, until `returnUnused`. @throws {AnswersTooLarge} */
  reserve(): void {
    const missing = this.#mostBytes - this.#retained;
    if (!this.#isReserved && missing > 0) this.#budget.require(missing);
    this.#isReserved = true;
  }

  /** Gives the bytes back, unless the callers of `reserve` have called `retain` meanwhile. */
  returnUnused(): void {
    if (this.#isReserved) this.#budget.give(this.#mostBytes - this.#retained);
    this.#isReserved = false;
  }

  /** As `returnUnused`, after all callers that wait for the task now have run. */
  returnUnusedSoon(): void {
    setImmediate(() => this.returnUnused());
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
  reserveInstead(bytes: number): Disposable {
    this.returnUnused();
    this.#budget.require(bytes);
    return { [Symbol.dispose]: () => this.#budget.give(bytes) };
  }

  get #isTaken(): boolean {
    return this.#isReserved || this.#readers > 0;
  }

  /** Bytes that readers hold. */
  get #retained(): number {
    return this.#readers > 0 ? this.#bytes : 0;
  }
}
