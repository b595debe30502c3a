import type { RedisConnection } from '../../redis/connection.ts';
import type { Shards } from '../../redis/shards.ts';

export interface MigrationPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
}

/**
 * Brings what older releases left to a version of the schema. It can be interrupted and begun again at any place, twice
 * at once too, while programs of the new release work; those that know an older version have gone.
 */
export interface Migration {
  readonly version: number;
  /** For the log: what it does. */
  readonly what: string;
  /** @param goOn to be awaited after each step, with how many things are done; rejects if it must not go on */
  run(port: MigrationPort, goOn: (done: number) => Promise<void>): Promise<void>;
}
