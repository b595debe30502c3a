import type { LatencySummary } from '../measure/latencies.ts';

/** One rate that was tried by the profile `ramp`. */
export interface TriedRate {
  readonly rate: number;
  readonly held: boolean;
  /** Why it did not; unset if it did. */
  readonly because: string | undefined;
  readonly latency: LatencySummary | undefined;
  readonly requests: number;
  readonly errors: number;
}

export interface RampFindings {
  readonly tried: readonly TriedRate[];
  /** Per second; undefined if not even the first one did. */
  readonly highestThatHeld: number | undefined;
  /** The lowest that did not: the limit is between the two. Undefined if it was not reached. */
  readonly lowestThatDidNot: number | undefined;
  readonly maxLatencyMs: number;
}

export interface StreamFindings {
  readonly opened: number;
  /** Open at the same time. */
  readonly most: number;
  /** Ended by the server, as they should. */
  readonly ended: number;
  /** Still open when the time was over. */
  readonly left: number;
  /** Events whose ids were compared with those before. */
  readonly checked: number;
  /** Events without a number to compare. */
  readonly unchecked: number;
  readonly holes: number;
  readonly doubles: number;
}

/** What only some profiles find out. */
export interface Findings {
  readonly ramp?: RampFindings;
  readonly streams?: StreamFindings;
}
