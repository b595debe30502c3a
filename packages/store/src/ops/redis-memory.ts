import { Cluster } from 'ioredis';
import type { RedisConnection } from '../redis/connection.ts';

/** Bytes of memory that Redis uses; of a cluster: all its masters together. */
export async function redisBytes(redis: RedisConnection): Promise<number> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const infos = await Promise.all(nodes.map((node) => node.info('memory')));
  return infos.reduce((sum, info) => sum + Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0), 0);
}
