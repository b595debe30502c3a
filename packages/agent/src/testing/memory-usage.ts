import { type UsageAmounts, usageAmounts } from '@switchyard/protocol';
import type { CountedUsage } from '../port/model-call.ts';

type Amounts = Record<(typeof usageAmounts)[number], number>;

/** What the tasks of a world have used of models, counted as record-usage.lua does, without prices. */
export class MemoryUsage {
  readonly #callers = new Map<string, string>();
  readonly #totals = new Map<string, Amounts>();
  /** By task and key. */
  readonly #counted = new Map<string, Amounts>();

  /** @param caller task whose agent called this one */
  addTask(taskId: string, caller: string | undefined): void {
    if (caller !== undefined) this.#callers.set(taskId, caller);
  }

  /** Counts for the task, and for all that called it. */
  record(taskId: string, usage: CountedUsage): void {
    const grown = this.#growth(taskId, amountsOf(usage), usage.key);
    for (let of: string | undefined = taskId; of !== undefined; of = this.#callers.get(of)) {
      const total = this.#totals.get(of);
      this.#totals.set(
        of,
        map((amount) => (total?.[amount] ?? 0) + grown[amount]),
      );
    }
  }

  /** Of a task, with all tasks below it. Amounts that are 0 are left out. */
  total(taskId: string): UsageAmounts {
    return Object.fromEntries(Object.entries(this.#totals.get(taskId) ?? {}).filter(([, value]) => value > 0));
  }

  /** What of these amounts was not counted yet under this key. */
  #growth(taskId: string, amounts: Amounts, key: string | undefined): Amounts {
    if (key === undefined) return amounts;
    const name = `${taskId} ${key}`;
    const before = this.#counted.get(name);
    this.#counted.set(
      name,
      map((amount) => Math.max(amounts[amount], before?.[amount] ?? 0)),
    );
    return map((amount) => Math.max(0, amounts[amount] - (before?.[amount] ?? 0)));
  }
}

function amountsOf({ calls = 1, microUsd, ...given }: CountedUsage): Amounts {
  const { unpricedCalls = microUsd === undefined ? calls : 0 } = given;
  const known = { ...given, calls, unpricedCalls, microUsd };
  return map((amount) => known[amount] ?? 0);
}

function map(amountOf: (amount: keyof Amounts) => number): Amounts {
  return Object.fromEntries(usageAmounts.map((amount) => [amount, amountOf(amount)])) as Amounts;
}
