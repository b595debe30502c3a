import { median } from '../../statistics/quantile.ts';

/** One of those that are measured in turn. */
export interface Contender {
  readonly name: string;
  measure(): Promise<number>;
}

/**
 * A question, and how it is answered: the contenders measured in turn, round by round, so that a noisy machine is noisy
 * for all.
 */
export interface Comparison {
  readonly unit: string;
  readonly ours: Contender;
  readonly others: readonly Contender[];
  readonly rounds: number;
  /** Rounds before these that do not count: compilers need some seconds of the same work. */
  readonly warmUps?: number;
}

/** Many short rounds tell more than few long ones, where a machine changes from second to second. */
export function shortRounds(rounds: number): Pick<Comparison, 'rounds' | 'warmUps'> {
  return { rounds: 3 * rounds, warmUps: 3 };
}

export interface Outcome {
  readonly unit: string;
  /** Of all rounds. */
  readonly values: Readonly<Record<string, readonly number[]>>;
  /** Median of ours / other, pair by pair. */
  readonly ratios: Readonly<Record<string, number>>;
}

export async function compare({ unit, ours, others, rounds, warmUps = 0 }: Comparison): Promise<Outcome> {
  const contenders = [ours, ...others];
  const values = Object.fromEntries(contenders.map(({ name }) => [name, [] as number[]]));
  for (let round = -warmUps; round < rounds; round++)
    for (const { name, measure } of round % 2 ? contenders.toReversed() : contenders) {
      const value = await measure();
      if (round >= 0) values[name]?.push(value);
    }
  const own = values[ours.name] ?? [];
  const ratio = (name: string): number => median(own.map((value, i) => value / (values[name]?.[i] ?? Number.NaN)));
  return { unit, values, ratios: Object.fromEntries(others.map(({ name }) => [name, ratio(name)])) };
}
