import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import { isRedirected, MasterUnknown, SlotMoves } from './errors.ts';
import { guardKey, hashTagOf, slotOf } from './slots.ts';

/** The masters of a Cluster; otherwise the one server. */
export function mastersOf(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

/** The server that has this key or channel. Undefined: a Cluster does not know it at the moment. */
export function masterOf(connection: RedisConnection, name: string): Redis | undefined {
  if (!(connection instanceof Cluster)) return connection;
  const [address] = connection.slots[slotOf(hashTagOf(name))] ?? [];
  return mastersOf(connection).find(({ options: { host, port } }) => `${host}:${port}` === address);
}

/**
 * The server that has all keys of a slot of a Cluster. @param key of the slot
 * @throws {SlotMoves} @throws {MasterUnknown} also other outages
 */
export async function holderOf(connection: RedisConnection, key: string): Promise<Redis> {
  if (!(connection instanceof Cluster)) return connection;
  const master = masterOf(connection, key);
  if (!master) throw new MasterUnknown();
  try {
    // Asked for a key that is not there, a master whose slot moves says that it may be elsewhere.
    await master.exists(guardKey(key));
    return master;
  } catch (error) {
    throw isRedirected(error) ? new SlotMoves({ cause: error }) : error;
  }
}

/** ms since 1970 by Redis' clock, which decides: the clock of this machine may differ. */
export async function redisTimeMs(redis: RedisConnection): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** The reply of INFO as a record. @param section unset: the default sections */
export async function infoOf(node: Redis, section?: string): Promise<Readonly<Record<string, string | undefined>>> {
  const info = await (section === undefined ? node.info() : node.info(section));
  return Object.fromEntries(info.split('\r\n').map((line) => line.split(':')));
}
