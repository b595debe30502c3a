import type { MinimalJob, RedisQueueBackend } from 'bullmq';
import type { Store } from '../../src/index.ts';
import type { RedisConnection } from '../../src/redis/connection.ts';
import { Shards } from '../../src/redis/shards.ts';
import { TurnTaker } from '../../src/turns/turn-taker.ts';

/** What BullMQ asks of, as a worker of the agent `echo`, for its jobs; and who knows the turns that begin with them. */
export function queueBackend(
  { settings }: Store,
  redis: RedisConnection,
): { readonly backend: RedisQueueBackend; readonly taker: TurnTaker } {
  const shards = new Shards(settings.prefix, settings.shards);
  const [keys = shards.of('')] = shards.all;
  const taker = new TurnTaker({ redis, shards, settings });
  const options = { connection: redis, prefix: keys.queues };
  return { backend: taker.backend({ agent: 'echo', keys, lockMs: 60_000, isChoosy: false })('echo', options), taker };
}

/** Of a job, what completing it takes. */
export function minimalJob(id: string): MinimalJob {
  return { id } as MinimalJob;
}
