import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** In milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

const MICROSECONDS = 1_000;
/** A quarter of an hour, in microseconds: longer than anything here can last. */
const LONGEST = 900_000_000;
/** Durations of any number in constant memory, each to three digits: an HdrHistogram, the one that Node brings. */
export class Latencies {
  readonly #histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: LONGEST, figures: 3 });

  add(ms: number): void {
    this.#histogram.record(Math.min(LONGEST, Math.max(1, Math.round(ms * MICROSECONDS))));
  }

  get count(): number {
    return this.#histogram.count;
  }

  /** Undefined while there is none. @param percentile from 0, not included, to 100 */
  at(percentile: number): number | undefined {
    return this.count === 0 ? undefined : this.#histogram.percentile(percentile) / MICROSECONDS;
  }

  /** Undefined while there is none. */
  summary(): LatencySummary | undefined {
    if (this.count === 0) return undefined;
    const [p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0] = [50, 90, 99, 99.9, 100].map((share) => this.at(share));
    return { count: this.count, p50, p90, p99, p999, max };
  }

  /** Begins again. */
  reset(): void {
    this.#histogram.reset();
  }
}
