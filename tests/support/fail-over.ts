import type { Redis } from 'ioredis';

/**
 * Copies keys as they are now.
 * @returns restores them, like the promotion of a replica that lacks the later writes
 */
export async function failOverTo(redis: Redis, ...keys: string[]): Promise<() => Promise<void>> {
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return async () => {
    const restore = redis.multi().del(...keys);
    for (const [i, key] of keys.entries()) if (dumps[i]) restore.restore(key, 0, dumps[i]);
    await restore.exec();
  };
}
