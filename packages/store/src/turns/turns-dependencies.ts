import type { RedisConnection } from '../redis/connection.ts';
import type { Observer } from '../redis/observer.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Shards } from '../redis/shards.ts';

/** What turns need. */
export interface TurnsDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: StoreSettings;
  readonly observer: Observer;
}
