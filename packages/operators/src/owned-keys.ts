import { holderOf, type RedisConnection, SlotMoves } from '@switchyard/redis';
import type { OwnedKey, ShardKeys } from '@switchyard/store/inside';

/** COUNT of each SCAN. */
const COUNT = 1_000;

/**
 * The keys of a shard that have an owner in their name. It looks through the names of all keys of the shard's master:
 * about a second for each million. A key may be returned twice. @param tenant unset: of all tenants
 * @throws {SlotMoves} other keys may have been left out, because they went to another master meanwhile
 */
export async function* ownedKeys(redis: RedisConnection, shard: ShardKeys, tenant?: string): AsyncGenerator<OwnedKey> {
  const node = await holderOf(redis, shard.outbox);
  let cursor = '0';
  do {
    const [next, keys] = await node.scan(cursor, 'MATCH', shard.ownedPattern(tenant), 'COUNT', COUNT);
    cursor = next;
    for (const key of keys) yield shard.ownedKey(key);
  } while (cursor !== '0');
  if ((await holderOf(redis, shard.outbox)) !== node) throw new SlotMoves();
}
