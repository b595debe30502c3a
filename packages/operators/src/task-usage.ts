import { type TaskUsage, type UsageAmounts, usageAmounts } from '@switchyard/protocol';
import type { RedisConnection } from '@switchyard/redis';
import type { Shards } from '@switchyard/store/inside';

type Amounts = { -readonly [Amount in keyof UsageAmounts]: UsageAmounts[Amount] };

/** `usage`: what a task has used of models so far, also while it runs; unset: nothing. `budget`: what it may use. */
export interface SpentByTask {
  readonly usage?: TaskUsage;
  /** Unset: it has none, or has not asked a model yet. Tokens in and out together. */
  readonly budget?: { readonly microUsd?: number; readonly tokens?: number };
}

export async function readSpent(
  { redis, shards }: { readonly redis: RedisConnection; readonly shards: Shards },
  taskId: string,
): Promise<SpentByTask> {
  const fields = await redis.hgetall(`${shards.of(taskId).task(taskId)}:u`);
  const groups = { total: new Map<string, Amounts>(), own: new Map<string, Amounts>(), of: new Map<string, Amounts>() };
  for (const [field, value] of Object.entries(fields)) {
    const [, group, amount, name = ''] = /^(total|own|of) (\w+)(?: (.*))?$/.exec(field) ?? [];
    const known = usageAmounts.find((one) => one === amount);
    if (!known) continue;
    const of = groups[group as keyof typeof groups];
    const amounts = of.get(name) ?? {};
    amounts[known] = Number(value);
    of.set(name, amounts);
  }
  const budget = budgetIn(fields);
  const total = groups.total.get('');
  if (!total) return budget;
  const own = [...groups.own].map(([model, amounts]) => ({ model, ...amounts })).sort(byCost);
  const calls = [...groups.of].map(([taskId, amounts]) => ({
    taskId,
    agent: decodeURIComponent(fields[`agent ${taskId}`] ?? ''),
    ...amounts,
  }));
  const parts = { ...(own.length > 0 && { own }), ...(calls.length > 0 && { calls: calls.sort(byCost) }) };
  return { usage: { total, ...parts }, ...budget };
}

function budgetIn(fields: Readonly<Record<string, string>>): Pick<SpentByTask, 'budget'> {
  const microUsd = Number(fields['limit microUsd'] ?? 0);
  const tokens = Number(fields['limit tokens'] ?? 0);
  if (microUsd + tokens === 0) return {};
  return { budget: { ...(microUsd > 0 && { microUsd }), ...(tokens > 0 && { tokens }) } };
}

/** The dearest first; those without a price by their tokens. */
export function byCost(a: UsageAmounts, b: UsageAmounts): number {
  return (b.microUsd ?? 0) - (a.microUsd ?? 0) || tokensOf(b) - tokensOf(a);
}

const tokensOf = ({ inputTokens = 0, outputTokens = 0 }: UsageAmounts): number => inputTokens + outputTokens;
