import type { RedisConnection } from '@switchyard/redis';
import { type ShardKeys, scopeOf } from '@switchyard/store/inside';

/** An index of tasks, and how many of its oldest ended tasks may go at once. */
export interface DroppablePart {
  readonly index: string;
  readonly tasks: number;
}

/** Tasks that one plan drops, at most: after that, principals are compared again. */
export const TASKS_OF_PLAN = 512;
/** Tasks whose owners are looked up. A principal with a twentieth of all tasks is missed once in 27 plans. */
const SAMPLE = 64;

/**
 * Where tasks are dropped, in this order: at principals with more tasks than the average of those that were found, then
 * at the agents, that with the oldest ended task first. Costs as much with a million tasks as with a hundred.
 */
export async function tasksToDrop(
  redis: RedisConnection,
  keys: ShardKeys,
  agents: readonly string[],
): Promise<DroppablePart[]> {
  const indexes = agents.map((agent) => keys.agentIndex(agent));
  const sizes = await Promise.all(indexes.map((index) => redis.zcard(index)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const samples = await Promise.all(
    indexes.map((index, i) => {
      const count = Math.ceil((SAMPLE * (sizes[i] ?? 0)) / Math.max(total, 1));
      return count === 0 ? [] : redis.zrandmember(index, count);
    }),
  );
  const aboveShare = await principalsAboveShare(redis, keys, samples.flat().map(String));
  return [...aboveShare, ...(await byOldestTask(redis, indexes))];
}

async function principalsAboveShare(
  redis: RedisConnection,
  keys: ShardKeys,
  members: readonly string[],
): Promise<DroppablePart[]> {
  const owners = await Promise.all(members.map((member) => redis.hget(keys.tasks + member.slice(ID_AT), 'owner')));
  const found = [...new Set(owners.filter((owner) => owner !== null))];
  const counted = await Promise.all(
    found.map(async (owner) => {
      const index = keys.index(scopeOf(owner));
      return { index, count: await redis.zcard(index) };
    }),
  );
  const share = counted.reduce((sum, { count }) => sum + count, 0) / Math.max(counted.length, 1);
  return counted
    .filter(({ count }) => count > share + 1)
    .sort((a, b) => b.count - a.count)
    .map(({ index, count }) => ({ index, tasks: Math.min(TASKS_OF_PLAN, Math.floor(count - share)) }));
}

/** A member of an index is a letter, a time of eight characters, and the task's id. */
const [TIME_AT, ID_AT] = [1, 9];

async function byOldestTask(redis: RedisConnection, indexes: readonly string[]): Promise<DroppablePart[]> {
  const oldest = await Promise.all(
    indexes.map(async (index) => {
      const of = (letter: string) => redis.zrangebylex(index, `[${letter}`, `(${letter}~`, 'LIMIT', 0, 1);
      const members = (await Promise.all(['C', 'F', 'X', 'R'].map(of))).flat();
      return { index, time: members.map((member) => member.slice(TIME_AT, ID_AT)).sort()[0] };
    }),
  );
  return oldest
    .filter(({ time }) => time !== undefined)
    .sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1))
    .map(({ index }) => ({ index, tasks: TASKS_OF_PLAN }));
}
