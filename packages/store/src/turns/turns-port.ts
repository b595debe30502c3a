import type { Queue } from '../queue/queue.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { Shards } from '../redis/shards.ts';
import type { StoreSettings } from '../settings.ts';

/** What turns stand on. */
export interface TurnsPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly queue: Queue;
  readonly settings: StoreSettings;
}
