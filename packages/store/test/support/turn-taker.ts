import type { Store } from '../../src/index.ts';
import type { RedisConnection } from '../../src/redis/connection.ts';
import { Shards } from '../../src/redis/shards.ts';
import { TurnTaker } from '../../src/turns/turn-taker.ts';

/** Takes jobs of the agent `echo`: the ids of the next ones. And who knows the turns that begin with them. */
export function turnTaker(
  { settings }: Store,
  redis: RedisConnection,
): { readonly taker: TurnTaker; readonly take: (prefix: string, count?: number) => Promise<readonly string[]> } {
  const shards = new Shards(settings.prefix, settings.shards);
  const [keys = shards.of('')] = shards.all;
  const taker = new TurnTaker({ redis, shards, settings });
  const take = async (prefix: string, count = 1): Promise<readonly string[]> => {
    const tokens = { prefix, first: 0, count };
    const taken = await taker.take({ agent: 'echo', keys, lockMs: 60_000, isChoosy: false }, tokens);
    return taken === 'other' ? [taken] : taken.jobs.map(([, id]) => id);
  };
  return { taker, take };
}
