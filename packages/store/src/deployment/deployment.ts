import { randomUUID } from 'node:crypto';
import { checkServers, type RedisConnection, RedisUnusable } from '@switchyard/redis';
import type { StoreSettings } from './settings.ts';
import { MAX_DEPLOYMENT } from './shards.ts';

/** Refuses settings that no deployment can have, and a Redis that would lose tasks. @throws {RedisUnusable} */
export async function checkDeployment(redis: RedisConnection, { prefix, deployment }: StoreSettings): Promise<void> {
  if (/[{}]/.test(prefix)) throw new RedisUnusable(`The key prefix "${prefix}" must not contain braces.`);
  if (!Number.isInteger(deployment) || deployment < 0 || deployment > MAX_DEPLOYMENT)
    throw new RedisUnusable(`The number of the deployment is ${deployment}: it must be 0 to ${MAX_DEPLOYMENT}.`);
  await checkServers(redis);
}

/** A random id of the deployment: the same as long as Redis has its data. */
export async function deploymentId(redis: RedisConnection, prefix: string): Promise<string> {
  const key = `${prefix}{agents}:deployment`;
  await redis.set(key, randomUUID(), 'NX');
  return (await redis.get(key)) ?? '';
}
