import type { Redis } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import { StoreError } from './errors.ts';
import { infoOf, mastersOf } from './masters.ts';
import type { StoreSettings } from './settings.ts';
import { shardLayout } from './shards.ts';

/** Refuses what would lose tasks silently. @throws {StoreError} */
export async function checkDeployment(redis: RedisConnection, settings: StoreSettings): Promise<void> {
  if (/[{}]/.test(settings.prefix))
    throw new StoreError(`The key prefix "${settings.prefix}" must not contain braces.`);
  await Promise.all(mastersOf(redis).map(checkEviction));
  await checkShards(redis, settings);
}

async function checkEviction(node: Redis): Promise<void> {
  const { maxmemory_policy: policy } = await infoOf(node, 'memory');
  if (policy && policy !== 'noeviction')
    throw new StoreError(`Redis may evict tasks: its maxmemory-policy is "${policy}". Set it to noeviction.`);
}

/** The number of shards decides where every task lies: the first process to start fixes it. */
async function checkShards(redis: RedisConnection, { prefix, shards }: StoreSettings): Promise<void> {
  const key = `${prefix}{agents}:shards`;
  const layout = shardLayout(shards);
  await redis.set(key, layout, 'NX');
  const fixed = (await redis.get(key)) ?? layout;
  if (fixed === `${shards}` && fixed !== layout)
    throw new StoreError(
      `The ${shards} shards of this deployment have hash tags of an earlier version, which did not spread over masters. ` +
        'Let its tasks end with that version, then start this one with another KEY_PREFIX.',
    );
  if (fixed !== layout)
    throw new StoreError(
      `This deployment was made with SHARDS=${Number.parseInt(fixed, 10)}, which cannot change; it was started with SHARDS=${shards}.`,
    );
}
