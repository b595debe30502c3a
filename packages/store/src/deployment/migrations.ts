import type { RedisConnection } from '@switchyard/redis';
import type { Migration } from '@switchyard/schema';
import type { Shards } from './shards.ts';

interface MigrationDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
}

/** In the order in which they run. A version that changes no stored data has none; the first version has none. */
export const migrations: readonly ((dependencies: MigrationDependencies) => Migration)[] = [];
