import type { RedisConnection } from '../redis/connection.ts';
import type { Shards } from '../redis/shards.ts';
import type { StoreSettings } from '../settings.ts';

/** What turns stand on. */
export interface TurnsPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: StoreSettings;
}
