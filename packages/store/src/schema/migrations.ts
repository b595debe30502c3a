import type { RedisConnection } from '@switchyard/redis';
import type { Shards } from '../deployment/shards.ts';

export interface MigrationDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
}

/**
 * Brings the data of older releases to a version of the schema. It can be interrupted and started again at any point,
 * and run twice at once, while programs of the new release work; programs that know an older version have gone.
 */
export interface Migration {
  readonly version: number;
  /** For the log: what it does. */
  readonly what: string;
  /** @param onProgress await it after each step, with the number of tasks that are done; rejects if the run must stop */
  run(dependencies: MigrationDependencies, onProgress: (done: number) => Promise<void>): Promise<void>;
}

/** In the order in which they run. A version that changes no stored data has none; the first version has none. */
export const migrations: readonly Migration[] = [];
