import { Redis } from 'ioredis';

/** One connection to Redis. (A Cluster connection is to join this type; everything above names keys with hash tags already.) */
export type RedisConnection = Redis;

export interface Connections {
  /** Scripts, reads and the queue's adds: what one call issues together leaves in one write. */
  readonly commands: RedisConnection;
  /** Channels of the feeds, of cancels and of the registry. */
  readonly subscriber: RedisConnection;
}

/** Not yet connected: `connect()` is the store's `start`. */
export function createConnections(redisUrl: string): Connections {
  // Auto-pipelining stays off: it makes BullMQ slower, and ioredis writes the commands of one tick together anyway.
  // Commands wait for a connection that comes back; who must not wait puts a deadline on the call.
  const options = { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy };
  return { commands: new Redis(redisUrl, options), subscriber: new Redis(redisUrl, options) };
}

const retryStrategy = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 5), 1_000);
