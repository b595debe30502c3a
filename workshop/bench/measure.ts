import { median, quantile } from '../statistics.ts';
import type { Stage } from './stage.ts';

/** One of the compared programs. A measurement can have many values, one for each event. */
export interface Contender {
  readonly name: string;
  measure(): Promise<number | readonly number[]>;
}

/** A limit for a ratio or a figure. */
export interface Bar {
  /** The peer to compare with; unset: an absolute figure. */
  readonly to?: string;
  readonly at: 'least' | 'most';
  readonly value: number;
}

/** @param to the peer to compare with; default: an absolute figure */
export const atLeast = (value: number, to?: string): Bar => ({ ...(to && { to }), at: 'least', value });
export const atMost = (value: number, to?: string): Bar => ({ ...(to && { to }), at: 'most', value });

/** Other measurements: shares of a processor, bytes. */
export type Notes = Readonly<Record<string, number>>;

export interface Contest {
  readonly ours: Contender;
  readonly others?: readonly Contender[];
  /** Other measurements, read at the end. */
  readonly notes?: Notes;
  readonly close?: () => Promise<unknown>;
}

/** One row of the table. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  /** Without a worker, so that accepted messages wait. */
  readonly hasNoWorker?: boolean;
  /** Many short rounds are more accurate than few long ones on a machine whose speed varies. */
  readonly isShort?: boolean;
  /** Maximum number of rounds. */
  readonly mostRounds?: number;
  /** Rounds that are not counted: compilers need some seconds of the same work. */
  readonly warmUps?: number;
  /** The quantile that is the row's figure. Default: the median. */
  readonly share?: number;
  open(stage: Stage): Promise<Contest> | Contest;
}

/** Measures the contenders in turn in each round, so that disturbances affect all. @returns the values of each */
async function inTurn(contenders: readonly Contender[], rounds: number, warmUps = 0) {
  const values: Record<string, number[]> = Object.fromEntries(contenders.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round++)
    for (const { name, measure } of round % 2 ? contenders.toReversed() : contenders) {
      const value = await measure();
      if (round >= 0) values[name]?.push(...[value].flat());
    }
  return values;
}

/** The result of one row. */
export interface Figures {
  readonly unit: string;
  /** The values of all rounds. */
  readonly values: Readonly<Record<string, readonly number[]>>;
  /** Median of ours / other over the rounds. */
  readonly ratios: Readonly<Record<string, number>>;
  /** This project's name in `values`. */
  readonly ours: string;
  /** The quantile that counts. Default: the median. */
  readonly share?: number;
  readonly bars: readonly Bar[];
  readonly notes?: Notes;
}

export interface Result {
  readonly id: string;
  readonly title: string;
  readonly figures: Figures;
}

export async function measureRow(row: Row, stage: Stage, rounds: number): Promise<Result> {
  await (row.hasNoWorker ? stage.withoutWorker() : stage.withWorker());
  const { isShort, warmUps = isShort ? 3 : 0, mostRounds = 1_000 } = row;
  const { ours, others = [], notes, close } = await row.open(stage);
  try {
    const times = Math.min(mostRounds, isShort ? 3 * rounds : rounds);
    const values = await inTurn([ours, ...others], times, warmUps);
    return resultOf(row, { ours: ours.name, values, ...(notes && { notes }) });
  } finally {
    await close?.();
    await stage.stopPeers();
    await stage.clear();
  }
}

function resultOf({ id, title, unit, bars, share }: Row, seen: Pick<Figures, 'ours' | 'values' | 'notes'>): Result {
  const { ours, values } = seen;
  const own = values[ours] ?? [];
  const others = Object.entries(values).filter(([name]) => name !== ours);
  const ratios = others.map(([name, theirs]) => [name, ratio(own, theirs)]);
  const figures = { unit, ratios: Object.fromEntries(ratios), bars, ...seen, ...(share !== undefined && { share }) };
  return { id, title, figures };
}

/** Median of the pairs. */
const ratio = (own: readonly number[], theirs: readonly number[]): number =>
  median(own.map((value, i) => value / (theirs[i] ?? Number.NaN)));

/** Merges a repeated measurement of the row: one result of all rounds. */
export function together(row: Row, before: Result | undefined, now: Result): Result {
  if (!before) return now;
  const values = Object.entries(now.figures.values).map(([name, more]) => [
    name,
    [...(before.figures.values[name] ?? []), ...more],
  ]);
  return resultOf(row, { ...now.figures, values: Object.fromEntries(values) });
}

/** The figure of a contender's values. */
export const figureOf = ({ values, share = 0.5 }: Figures, name: string): number => quantile(values[name] ?? [], share);
