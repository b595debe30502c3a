import type { Redis } from 'ioredis';

/**
 * Remembers keys as they are.
 * @returns sets them back, as a replica does that is promoted before it had the latest writes
 */
export async function failOverTo(redis: Redis, ...keys: string[]): Promise<() => Promise<void>> {
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return async () => {
    await redis.del(...keys);
    await Promise.all(keys.map((key, i) => dumps[i] && redis.restore(key, 0, dumps[i])));
  };
}
