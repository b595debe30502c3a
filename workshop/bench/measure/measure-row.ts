import { median, quantile } from '../../statistics.ts';
import type { Bar, Contender, Notes, Row } from './row.ts';
import type { Stage } from './stage.ts';

/** Of each contender: its values, those of one round together. */
export type Rounds = Readonly<Record<string, readonly (readonly number[])[]>>;

export interface Schedule {
  readonly rounds: number;
  readonly warmUps: number;
}

/** The contenders in turn, round by round, so that a noisy machine is noisy for all. */
export async function inTurn(contenders: readonly Contender[], { rounds, warmUps }: Schedule): Promise<Rounds> {
  const values = Object.fromEntries(contenders.map(({ name }) => [name, [] as (readonly number[])[]]));
  for (let round = -warmUps; round < rounds; round++)
    for (const { name, measure } of round % 2 ? contenders.toReversed() : contenders) {
      const value = await measure();
      if (round >= 0) values[name]?.push(typeof value === 'number' ? [value] : value);
    }
  return values;
}

/** Of one row: which values it had, and what follows from them. */
export interface Figures {
  readonly unit: string;
  /** Of all rounds. */
  readonly values: Readonly<Record<string, readonly number[]>>;
  /** Median of ours / other, round by round. */
  readonly ratios: Readonly<Record<string, number>>;
  /** This project's name in `values`. */
  readonly ours: string;
  /** The share of the values that counts; left out: the median. */
  readonly share?: number;
  readonly bars: readonly Bar[];
  readonly notes?: Notes;
}

export interface Result {
  readonly id: string;
  readonly title: string;
  readonly figures: Figures;
}

const scheduleOf = ({ isShort, warmUps, mostRounds = 1_000 }: Row, rounds: number): Schedule => ({
  rounds: Math.min(mostRounds, isShort ? 3 * rounds : rounds),
  warmUps: warmUps ?? (isShort ? 3 : 0),
});

export async function measureRow(row: Row, stage: Stage, rounds: number): Promise<Result> {
  await (row.hasNoWorker ? stage.withoutWorker() : stage.withWorker());
  const { ours, others = [], notes, close } = await row.open(stage);
  try {
    const measured = await inTurn([ours, ...others], scheduleOf(row, rounds));
    const values = Object.fromEntries(Object.entries(measured).map(([name, all]) => [name, all.flat()]));
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
export const ratio = (own: readonly number[], theirs: readonly number[]): number =>
  median(own.map((value, i) => value / (theirs[i] ?? Number.NaN)));

/** The same row, measured again: one result of all rounds. */
export function together(row: Row, before: Result | undefined, now: Result): Result {
  if (!before) return now;
  const values = Object.entries(now.figures.values).map(([name, more]) => [
    name,
    [...(before.figures.values[name] ?? []), ...more],
  ]);
  return resultOf(row, { ...now.figures, values: Object.fromEntries(values) });
}

/** What a contender's values come to. */
export const figureOf = ({ values, share = 0.5 }: Figures, name: string): number => quantile(values[name] ?? [], share);
