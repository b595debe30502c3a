import { type UsageAmounts, usageAmounts } from '@switchyard/protocol';
import type { RedisConnection } from '@switchyard/redis';
import type { Shards } from '@switchyard/store/inside';
import { byCost } from './task-usage.ts';

/** What an agent used of a model for a tenant in a day. */
interface DayUsage {
  /** UTC, as `2026-11-28`. */
  readonly day: string;
  readonly tenant: string;
  readonly agent: string;
  readonly model: string;
  readonly amounts: UsageAmounts;
}

export interface UsageQuery {
  readonly by: 'agent' | 'tenant' | 'model' | 'day';
  /** The first day, as `2026-11-28`. Default: six days before `to`. */
  readonly from?: string | undefined;
  /** The last one. Default: today (UTC). */
  readonly to?: string | undefined;
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
  readonly model?: string | undefined;
}

export interface UsageRow extends UsageAmounts {
  /** Of the agent, tenant, model or day. */
  readonly name: string;
}

export interface UsageSummary {
  readonly by: UsageQuery['by'];
  readonly from: string;
  readonly to: string;
  readonly total: UsageAmounts;
  /** The dearest first; of days, the earliest. */
  readonly rows: readonly UsageRow[];
  /** How many rows there are: `rows` has 500 of them at most. */
  readonly totalSize: number;
  /** By day. Days without usage are left out. */
  readonly days: readonly UsageRow[];
}

const DAY_MS = 86_400_000;
/** Days that one summary may have. */
const longestUsageDays = 400;
const MAX_ROWS = 500;

/** Totals of days, which outlive the tasks. */
export class UsageTotals {
  readonly #redis: RedisConnection;
  readonly #shards: Shards;

  constructor({ redis, shards }: { readonly redis: RedisConnection; readonly shards: Shards }) {
    this.#redis = redis;
    this.#shards = shards;
  }

  async summary({ by, to = dayOf(Date.now()), from = dayOf(Date.parse(to) - 6 * DAY_MS), ...filter }: UsageQuery) {
    const wanted = (usage: DayUsage): boolean =>
      (['agent', 'tenant', 'model'] as const).every((name) => [undefined, usage[name]].includes(filter[name]));
    const usages = (await this.#read(from, to)).filter(wanted);
    const rows = sumsBy(usages, by);
    if (by !== 'day') rows.sort(byCost);
    const total = sumOf(usages);
    const [totalSize, days] = [rows.length, sumsBy(usages, 'day')];
    return { by, from, to, total, rows: rows.slice(0, MAX_ROWS), totalSize, days } satisfies UsageSummary;
  }

  async #read(from: string, to: string): Promise<DayUsage[]> {
    const usages: DayUsage[] = [];
    for (const day of daysBetween(from, to)) {
      const shards = await Promise.all(this.#shards.all.map(({ usage }) => this.#redis.hgetall(`${usage}:${day}`)));
      for (const fields of shards) usages.push(...usagesIn(day, fields));
    }
    return usages;
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < longestUsageDays; at += DAY_MS)
    days.push(dayOf(at));
  return days;
}

/** @param fields `<amount> <tenant>/<agent>/<model>` → its sum */
function usagesIn(day: string, fields: Readonly<Record<string, string>>): DayUsage[] {
  return Object.entries(fields).flatMap(([field, sum]) => {
    const [, amount, tenant = '', agent = '', model = ''] = /^(\w+) ([^/]*)\/([^/]*)\/(.*)$/.exec(field) ?? [];
    const known = usageAmounts.find((one) => one === amount);
    if (!known) return [];
    const names = { tenant: decodeURIComponent(tenant), agent: decodeURIComponent(agent), model };
    return [{ day, ...names, amounts: { [known]: Number(sum) } }];
  });
}

function sumsBy(usages: readonly DayUsage[], by: UsageQuery['by']): UsageRow[] {
  return [...Map.groupBy(usages, (usage) => usage[by])].map(([name, some]) => ({ name, ...sumOf(some) }));
}

function sumOf(usages: readonly DayUsage[]): UsageAmounts {
  const sum: { -readonly [Amount in keyof UsageAmounts]: UsageAmounts[Amount] } = {};
  for (const { amounts } of usages)
    for (const amount of usageAmounts) {
      const value = amounts[amount];
      if (value !== undefined) sum[amount] = (sum[amount] ?? 0) + value;
    }
  return sum;
}
