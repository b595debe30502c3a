import type { RedisConnection } from '@switchyard/redis';
import type { Observer } from '../deployment/observer.ts';
import type { StoreSettings } from '../deployment/settings.ts';
import type { Shards } from '../deployment/shards.ts';

/** What turns need. */
export interface TurnsDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: StoreSettings;
  readonly observer: Observer;
}
