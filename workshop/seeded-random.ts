import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** Random numbers that a seed repeats. */
export class SeededRandom {
  readonly #generator: ReturnType<typeof mersenne>;

  constructor(seed: number) {
    this.#generator = mersenne(seed);
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    return uniformFloat64(this.#generator);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return uniformInt(this.#generator, least, most);
  }

  /** @throws {Error} there is nothing to pick from */
  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, Math.max(0, from.length - 1))];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }
}
