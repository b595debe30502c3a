import type { Redis } from 'ioredis';

type Content = string | string[] | Record<string, unknown>;

/**
 * All keys of a queue by the ends of their names, without its events and their limit.
 * @param root of the queue's keys
 */
export async function queueContents(redis: Redis, root: string): Promise<Record<string, Content>> {
  const keys = (await redis.keys(`${root}*`)).filter((key) => !key.endsWith(':events'));
  const contents = await Promise.all(
    keys.map(async (key) => [key.slice(root.length), await contentOf(redis, key)] as const),
  );
  return Object.fromEntries(contents.filter(([, content]) => Object.keys(content).length > 0));
}

async function contentOf(redis: Redis, key: string): Promise<Content> {
  const type = await redis.type(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'zset') return redis.zrange(key, '0', '-1', 'WITHSCORES');
  if (type === 'set') return redis.smembers(key);
  if (type === 'string') return (await redis.get(key)) ?? '';
  const { opts, timestamp, processedOn, 'opts.maxLenEvents': _, ...fields } = await redis.hgetall(key);
  return {
    ...fields,
    ...(opts !== undefined && { opts: JSON.parse(opts) }),
    ...(timestamp !== undefined && { isOfNow: isOfNow(timestamp) }),
    ...(processedOn !== undefined && { isTakenNow: isOfNow(processedOn) }),
  };
}

const isOfNow = (ms: string): boolean => Math.abs(Number(ms) - Date.now()) < 10_000;
