import type { Store } from '../../src/index.ts';
import type { RedisConnection } from '../../src/redis/connection.ts';
import { Shards } from '../../src/redis/shards.ts';
import { TurnTaker } from '../../src/turns/turn-taker.ts';

/** Takes jobs of the agent `echo`: the id of the next one. And who knows the turns that begin with them. */
export function turnTaker(
  { settings }: Store,
  redis: RedisConnection,
): { readonly taker: TurnTaker; readonly take: (token: string) => Promise<string> } {
  const shards = new Shards(settings.prefix, settings.shards);
  const [keys = shards.of('')] = shards.all;
  const taker = new TurnTaker({ redis, shards, settings });
  const take = async (token: string): Promise<string> => {
    const taken = await taker.take({ agent: 'echo', keys, lockMs: 60_000, isChoosy: false }, token);
    return taken === 'other' ? taken : taken.job[1];
  };
  return { taker, take };
}
