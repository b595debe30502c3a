import { mastersOf, type RedisConnection } from '@switchyard/redis';
import type { OwnedKey, ShardKeys } from '@switchyard/store/inside';

/** COUNT of each SCAN. */
const COUNT = 1_000;

/**
 * The keys of a shard that have an owner in their name. It looks through the names of all keys, on all masters: about a
 * second for each million. A key may be returned twice. @param tenant unset: of all tenants
 */
export async function* ownedKeys(redis: RedisConnection, shard: ShardKeys, tenant?: string): AsyncGenerator<OwnedKey> {
  for (const node of mastersOf(redis)) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', shard.ownedPattern(tenant), 'COUNT', COUNT);
      cursor = next;
      for (const key of keys) yield shard.ownedKey(key);
    } while (cursor !== '0');
  }
}
