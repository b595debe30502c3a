import type { ShardKeys } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** Of each shard, the latest. */
const MOST = 1_000;

const keyOf = ({ archived }: ShardKeys): string => `${archived}:left-out`;

type LeftOutDependencies = Pick<OperatorDependencies, 'redis' | 'shards' | 'settings' | 'archive'>;

/** Remembers ended tasks that could not be copied to the archive, as long as Redis has them. */
export async function addLeftOut(
  { redis, settings }: LeftOutDependencies,
  keys: ShardKeys,
  { taskIds, nowMs }: { readonly taskIds: readonly string[]; readonly nowMs: number },
): Promise<void> {
  if (taskIds.length === 0) return;
  const key = keyOf(keys);
  await redis.zadd(key, ...taskIds.flatMap((id) => [nowMs, id]));
  await redis.zremrangebyrank(key, 0, -MOST - 1);
  await redis.pexpire(key, settings.retentionMs);
}

/** Those that Redis still has, and the archive has not got since, the latest first. */
export async function leftOut({ redis, shards, archive }: LeftOutDependencies): Promise<string[]> {
  const found = await Promise.all(shards.all.map((keys) => redis.zrange(keyOf(keys), '0', '-1', 'WITHSCORES')));
  const times = new Map(found.flatMap(pairsOf));
  const ids = [...times.keys()];
  if (ids.length === 0) return [];
  const [copied, ...there] = await Promise.all([
    archive?.existing(ids),
    ...ids.map((id) => redis.exists(shards.of(id).task(id))),
  ]);
  const left = ids.filter((id, i) => there[i] === 1 && !copied?.has(id));
  return left.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}

function pairsOf(entries: readonly string[]): [taskId: string, ms: number][] {
  const pairs: [string, number][] = [];
  for (let i = 0; i < entries.length; i += 2) pairs.push([entries[i] ?? '', Number(entries[i + 1])]);
  return pairs;
}
