import type { Outcome } from '../measure/comparison.ts';
import type { Stage } from '../measure/stage.ts';

/** What a bar demands of a ratio or a figure. */
export interface Bar {
  /** Whom ours is compared with; none: an absolute figure. */
  readonly to?: string;
  readonly at: 'least' | 'most';
  readonly value: number;
}

export interface Figures extends Outcome {
  /** What ours is called in `values`. */
  readonly ours: string;
  readonly bars: readonly Bar[];
  /** What else was seen: shares of a processor, failures, conditions. */
  readonly notes?: Readonly<Record<string, number | string>>;
}

/** One row of the table. */
export interface BenchCase {
  readonly id: string;
  readonly title: string;
  /** @param rounds how often each contender is measured */
  run(stage: Stage, rounds: number): Promise<Figures>;
}
