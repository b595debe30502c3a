import type { Redis } from 'ioredis';

/** Microseconds of Redis' own time for each script call that happens meanwhile. */
export async function scriptMicros(redis: Redis, act: () => Promise<unknown>): Promise<number> {
  await redis.config('RESETSTAT');
  await act();
  const [, calls = '1', micros = '0'] =
    /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await redis.info('commandstats')) ?? [];
  return Number(micros) / Number(calls);
}
