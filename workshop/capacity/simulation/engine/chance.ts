import { SeededRandom } from '../../../../tests/support/seeded-random.ts';

/** Chance that a seed repeats. */
export class Chance {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** A time that is forgotten while it passes: that of arrivals that know nothing of each other, of answers of very different length. */
  exponential(mean: number): number {
    return -Math.log(1 - this.#random.next()) * mean;
  }

  happens(probability: number): boolean {
    return this.#random.next() < probability;
  }

  /** 0 up to, and without, `count`. */
  below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}
