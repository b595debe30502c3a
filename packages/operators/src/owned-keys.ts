import { holderOf, infoOf, type RedisConnection, SlotMoves } from '@switchyard/redis';
import type { OwnedKey, ShardKeys } from '@switchyard/store/inside';

/** COUNT of each SCAN. */
const COUNT = 1_000;

/**
 * The keys of a shard that have an owner in their name. It looks through the names of all keys of the shard's master:
 * about a second for each million. A key may be returned twice: after a restart of the server, which does not know the
 * cursors of the one before, all are read again. @param tenant unset: of all tenants
 * @throws {SlotMoves} other keys may have been left out, because they went to another master meanwhile
 */
export async function* ownedKeys(redis: RedisConnection, shard: ShardKeys, tenant?: string): AsyncGenerator<OwnedKey> {
  const node = await holderOf(redis, shard.outbox);
  let [before, run] = ['', await runOf(node)];
  do {
    before = run;
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', shard.ownedPattern(tenant), 'COUNT', COUNT);
      cursor = next;
      for (const key of keys) yield shard.ownedKey(key);
    } while (cursor !== '0');
    run = await runOf(node);
  } while (run !== before);
  if ((await holderOf(redis, shard.outbox)) !== node) throw new SlotMoves();
}

/** Differs after a restart, and after a fail-over that a sentinel has made. '': the server, such as a proxy, hides it. */
const runOf = async (node: Parameters<typeof infoOf>[0]): Promise<string> =>
  (await infoOf(node, 'server')).run_id ?? '';
