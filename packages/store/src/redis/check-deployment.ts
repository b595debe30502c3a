import type { Redis } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import { StoreError } from './errors.ts';
import { infoOf, mastersOf } from './masters.ts';
import type { StoreSettings } from './settings.ts';

/** Refuses settings of Redis that would lose tasks silently. @throws {StoreError} */
export async function checkDeployment(redis: RedisConnection, { prefix }: StoreSettings): Promise<void> {
  if (/[{}]/.test(prefix)) throw new StoreError(`The key prefix "${prefix}" must not contain braces.`);
  await Promise.all(mastersOf(redis).map(checkEviction));
}

async function checkEviction(node: Redis): Promise<void> {
  const { maxmemory_policy: policy } = await infoOf(node, 'memory');
  if (policy && policy !== 'noeviction')
    throw new StoreError(`Redis may evict tasks: its maxmemory-policy is "${policy}". Set it to noeviction.`);
}
