import { type TaskUsage, type UsageAmounts, usageAmounts } from '@switchyard/protocol';
import type { RedisConnection, Shards } from '@switchyard/store/inside';

type Amounts = { -readonly [Amount in keyof UsageAmounts]: UsageAmounts[Amount] };

/** What a task has used of models so far, also while it runs. @returns undefined: nothing */
export async function readTaskUsage(
  { redis, shards }: { readonly redis: RedisConnection; readonly shards: Shards },
  taskId: string,
): Promise<TaskUsage | undefined> {
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
  const total = groups.total.get('');
  if (!total) return undefined;
  const own = [...groups.own].map(([model, amounts]) => ({ model, ...amounts })).sort(byCost);
  const calls = [...groups.of].map(([taskId, amounts]) => ({
    taskId,
    agent: decodeURIComponent(fields[`agent ${taskId}`] ?? ''),
    ...amounts,
  }));
  return { total, ...(own.length > 0 && { own }), ...(calls.length > 0 && { calls: calls.sort(byCost) }) };
}

/** The dearest first; those without a price by their tokens. */
export function byCost(a: UsageAmounts, b: UsageAmounts): number {
  return (b.microUsd ?? 0) - (a.microUsd ?? 0) || tokensOf(b) - tokensOf(a);
}

const tokensOf = ({ inputTokens = 0, outputTokens = 0 }: UsageAmounts): number => inputTokens + outputTokens;
