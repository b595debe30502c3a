import type { SeededRandom } from '../../seeded-random.ts';

export interface ArrivalSettings {
  /** Arrivals per second at a time, in milliseconds since the start. */
  readonly rateAt: (ms: number) => number;
  /** The highest of these rates. */
  readonly peak: number;
  readonly random: SeededRandom;
}

/**
 * When clients come that know nothing of each other: a Poisson process, as milliseconds since the start. It never ends.
 * For a rate that changes, candidates come at the highest rate and some of them stay away (thinning).
 */
export function* arrivals({ rateAt, peak, random }: ArrivalSettings): Generator<number, never> {
  let ms = 0;
  for (;;) {
    ms += (-Math.log(1 - random.next()) / peak) * 1_000;
    const rate = rateAt(ms);
    if (rate >= peak || random.next() * peak < rate) yield ms;
  }
}
