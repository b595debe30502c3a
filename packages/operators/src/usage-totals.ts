import { type UsageAmounts, usageAmounts } from '@switchyard/protocol';
import type { RedisConnection, Shards } from '@switchyard/store/inside';

/** What an agent used of a model for a tenant in a day. */
export interface DayUsage extends UsageAmounts {
  /** UTC, as `2026-11-28`. */
  readonly day: string;
  readonly tenant: string;
  readonly agent: string;
  readonly model: string;
}

const DAY_MS = 86_400_000;
/** Days that one read may have. */
export const longestUsageDays = 400;

/** The totals of days, which outlive the tasks. */
export class UsageTotals {
  readonly #redis: RedisConnection;
  readonly #shards: Shards;

  constructor({ redis, shards }: { readonly redis: RedisConnection; readonly shards: Shards }) {
    this.#redis = redis;
    this.#shards = shards;
  }

  /** The usage of these days, both included, at most 400 of them, the earliest first. @param from, to as `2026-11-28` */
  async read(from: string, to: string): Promise<DayUsage[]> {
    const rows: DayUsage[] = [];
    for (const day of daysBetween(from, to)) {
      const shards = this.#shards.all.map(({ usage }) => this.#redis.hgetall(`${usage}:${day}`));
      rows.push(...rowsOf(day, await Promise.all(shards)));
    }
    return rows;
  }
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < longestUsageDays; at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** @param shards `<amount> <tenant>/<agent>/<model>` → its sum, of each shard */
function rowsOf(day: string, shards: readonly Readonly<Record<string, string>>[]): DayUsage[] {
  const rows = new Map<string, Partial<Record<keyof UsageAmounts, number>>>();
  for (const fields of shards)
    for (const [field, sum] of Object.entries(fields)) {
      const amount = usageAmounts.find((name) => field.startsWith(`${name} `));
      if (!amount) continue;
      const name = field.slice(amount.length + 1);
      const row = rows.get(name) ?? {};
      row[amount] = (row[amount] ?? 0) + Number(sum);
      rows.set(name, row);
    }
  return [...rows].map(([name, amounts]) => {
    const [tenant = '', agent = '', ...model] = name.split('/');
    return {
      day,
      tenant: decodeURIComponent(tenant),
      agent: decodeURIComponent(agent),
      model: model.join('/'),
      ...amounts,
    };
  });
}
