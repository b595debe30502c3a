import type { Redis } from 'ioredis';

/**
 * Remembers keys as they are.
 * @returns sets them back, as a replica does that is promoted before it had the latest writes
 */
export async function failOverTo(redis: Redis, ...keys: string[]): Promise<() => Promise<void>> {
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return async () => {
    const restore = redis.multi().del(...keys);
    for (const [i, key] of keys.entries()) if (dumps[i]) restore.restore(key, 0, dumps[i]);
    await restore.exec();
  };
}
