import type { ConsumerPort } from '../queue/consumer.ts';
import type { LaneId } from '../queue/lane-id.ts';
import type { Queue } from '../queue/queue.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { Script } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Shards } from '../redis/shards.ts';
import type { Vault } from '../vault/vault.ts';

export interface PushPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly queue: Queue;
  readonly vault: Vault;
  readonly settings: StoreSettings;
  readonly consumers: ConsumerPort;
}

/** Runs a script of one lane: its first arguments are the task and the number of the lane. */
export function runOnLane(
  { redis, shards }: Pick<PushPort, 'redis' | 'shards'>,
  script: Script,
  { taskId, lane }: LaneId,
  ...args: (string | number)[]
): Promise<unknown> {
  return script.run(redis, shards.of(taskId).lanes(taskId), [taskId, lane, ...args]);
}
