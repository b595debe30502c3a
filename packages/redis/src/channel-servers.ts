import { Cluster, type Redis } from 'ioredis';
import type { RedisAccess } from './address.ts';
import { addressOf, createRedis, type RedisConnection } from './connection.ts';
import { slotOf } from './slots.ts';

/** The servers on which channels are subscribed. */
export interface ChannelServers {
  /** Address of the server that has the channels with this hash tag now; undefined: it is not known yet. */
  readonly addressOf: (hashTag: string) => string | undefined;
  /** A connection that connects with its first command, and not again when it has ended. */
  readonly connect: (address: string) => Redis;
  /** Calls `check` when channels may have moved to another server. */
  readonly onMove: (check: () => void) => void;
}

/** A lost connection is replaced by a new one, which subscribes the channels again. */
const ONCE = { retryStrategy: () => null, autoResubscribe: false };

/** The one Redis, or the master of a Cluster that has the slot of the hash tag. @param commands knows the slots */
export function channelServers(access: RedisAccess, commands: RedisConnection): ChannelServers {
  const address = addressOf(access);
  if (!(commands instanceof Cluster))
    return { addressOf: () => '', connect: () => createRedis(address, ONCE), onMove: () => undefined };
  return {
    addressOf: (hashTag) => commands.slots[slotOf(hashTag)]?.[0],
    connect(node) {
      const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(node) ?? [];
      return createRedis({ ...address, kind: 'single', nodes: [{ host, port: Number(port) }] }, ONCE);
    },
    onMove: (check) => void commands.on('refresh', check),
  };
}
