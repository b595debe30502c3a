import type { Store } from '../../src/index.ts';
import { AgentQueue } from '../../src/queue/agent-queue.ts';
import type { RedisConnection } from '../../src/redis/connection.ts';
import { Observer } from '../../src/redis/observer.ts';
import { Shards } from '../../src/redis/shards.ts';
import { TurnTaker } from '../../src/turns/turn-taker.ts';

/** A function that takes jobs of the agent `echo` and returns their ids, and the turn taker that it uses. */
export function turnTaker(
  { settings }: Store,
  redis: RedisConnection,
): { readonly taker: TurnTaker; readonly take: (taker: string, count?: number) => Promise<readonly string[]> } {
  const shards = new Shards(settings.prefix, settings.shards);
  const [keys = shards.of('')] = shards.all;
  const queue = new AgentQueue(redis, keys, 'echo');
  const taker = new TurnTaker({ redis, shards, settings: { ...settings, leaseMs: 60_000 }, observer: new Observer() });
  const take = async (name: string, count = 1): Promise<readonly string[]> => {
    const taken = await taker.take(queue, { taker: name, number: 0, count, kinds: 'any' });
    return taken.jobs.map(({ id }) => id);
  };
  return { taker, take };
}
