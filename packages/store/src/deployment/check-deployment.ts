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
