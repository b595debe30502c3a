import type { RedisConnection } from '@switchyard/redis';
import { Observer } from '../../src/deployment/observer.ts';
import { Shards } from '../../src/deployment/shards.ts';
import type { Store, TurnJob } from '../../src/index.ts';
import { Appends } from '../../src/turns/appends.ts';
import { takeTurns } from '../../src/turns/turn-job.ts';
import { queueOf } from './runs.ts';

/** A function that takes jobs of the agent `echo`, and begins their turns. The same taker gets the same jobs. */
export function turnTaker(
  { settings }: Pick<Store, 'settings'>,
  redis: RedisConnection,
): (taker: string, count?: number) => Promise<readonly TurnJob[]> {
  const base = { redis, shards: new Shards(settings.prefix, settings.shards), settings, observer: new Observer() };
  const port = { ...base, appends: new Appends(base), running: new Map() };
  const queue = queueOf({ settings }, redis);
  return async (taker, count = 1) =>
    (await takeTurns(port, queue, { taker, number: 0, count, kinds: 'any', agent: {} })).jobs;
}
