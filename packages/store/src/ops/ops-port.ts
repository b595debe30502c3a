import type { DeadTurns } from '../dead-turns/dead-turns.ts';
import type { Push } from '../push/push.ts';
import type { Queue } from '../queue/queue.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { Shards } from '../redis/shards.ts';
import type { Registry } from '../registry/registry.ts';
import type { StoreSettings } from '../settings.ts';
import type { TaskCache } from '../tasks/task-cache.ts';
import type { Workers } from './workers.ts';

/** What operations stand on. */
export interface OpsPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly queue: Queue;
  readonly cache: TaskCache;
  readonly registry: Registry;
  readonly workers: Workers;
  readonly deadTurns: DeadTurns;
  readonly push: Push;
  readonly settings: StoreSettings;
}
