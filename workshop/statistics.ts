import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** @returns the value below which this share of the values lies; 0.5 is the median, 1 the maximum */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export type LatencySummary = NonNullable<ReturnType<Latencies['summary']>>;

const MICROSECONDS = 1_000;
/** A quarter of an hour in microseconds, longer than any duration here. */
const LONGEST = 900_000_000;
/** Any number of durations in constant memory, each with three digits: Node's HdrHistogram. */
export class Latencies {
  readonly #histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: LONGEST, figures: 3 });

  add(ms: number): void {
    this.#histogram.record(Math.min(LONGEST, Math.max(1, Math.round(ms * MICROSECONDS))));
  }

  get count(): number {
    return this.#histogram.count;
  }

  /** In milliseconds. Undefined while there is none. @param percentile from 0, not included, to 100 */
  at(percentile: number): number | undefined {
    return this.count === 0 ? undefined : this.#histogram.percentile(percentile) / MICROSECONDS;
  }

  /** In milliseconds. Undefined while there is none. */
  summary() {
    if (this.count === 0) return undefined;
    const [p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0] = [50, 90, 99, 99.9, 100].map((share) => this.at(share));
    return { count: this.count, p50, p90, p99, p999, max };
  }

  /** Resets it. */
  reset(): void {
    this.#histogram.reset();
  }
}

/** Random numbers that are reproduced by their seed. */
export class SeededRandom {
  readonly #generator: ReturnType<typeof mersenne>;

  constructor(seed: number) {
    this.#generator = mersenne(seed);
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    return uniformFloat64(this.#generator);
  }

  /** An integer, including both ends. */
  between(least: number, most: number): number {
    return uniformInt(this.#generator, least, most);
  }

  /** @throws {Error} the list is empty */
  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, Math.max(0, from.length - 1))];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }
}
