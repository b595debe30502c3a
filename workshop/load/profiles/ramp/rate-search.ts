/** So close together the highest rate that held and the lowest that did not are told apart no further. */
const CLOSE_ENOUGH = 1.1;

/** Which rate to try next: twice as much while they hold, then half-way between the two that are known. Pure. */
export class RateSearch {
  highestThatHeld: number | undefined;
  lowestThatDidNot: number | undefined;
  readonly #from: number;
  readonly #to: number;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** Undefined when there is nothing more to be found out. */
  get next(): number | undefined {
    const { highestThatHeld: held, lowestThatDidNot: missed } = this;
    if (held === undefined) return missed === undefined ? this.#from : undefined;
    if (missed === undefined) return held < this.#to ? Math.min(this.#to, held * 2) : undefined;
    return missed / held <= CLOSE_ENOUGH ? undefined : rounded((held + missed) / 2);
  }

  tried(rate: number, held: boolean): void {
    if (held) this.highestThatHeld = rate;
    else this.lowestThatDidNot = rate;
  }
}

/** Two digits that matter: nobody can tell 1,137 from 1,140 per second. */
function rounded(rate: number): number {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 2);
  return rate < 10 ? rate : Math.round(rate / digit) * digit;
}
