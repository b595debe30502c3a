import type { Stage } from './stage.ts';

/** One of those that are measured in turn. A measurement may have many values: those of single events. */
export interface Contender {
  readonly name: string;
  measure(): Promise<number | readonly number[]>;
}

/** What a bar demands of a ratio or a figure. */
export interface Bar {
  /** The peer to compare with; unset: an absolute figure. */
  readonly to?: string;
  readonly at: 'least' | 'most';
  readonly value: number;
}

/** What else was seen: shares of a processor, bytes. */
export type Notes = Readonly<Record<string, number>>;

export interface Contest {
  readonly ours: Contender;
  readonly others?: readonly Contender[];
  /** Read at the end. */
  readonly notes?: Notes;
  readonly close?: () => Promise<unknown>;
}

/** One row of the table. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  /** No worker runs: what is accepted waits. */
  readonly hasNoWorker?: boolean;
  /** Many short rounds tell more than few long ones where a machine changes from second to second. */
  readonly isShort?: boolean;
  /** Most rounds. */
  readonly mostRounds?: number;
  /** Rounds before the first that counts: compilers need some seconds of the same work. */
  readonly warmUps?: number;
  /** The share of all values below which the row's figure lies; left out: the median. */
  readonly share?: number;
  open(stage: Stage): Promise<Contest> | Contest;
}
