import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';

/** The share of a core that the main thread of Redis takes, in percent. */
export async function shareOfCore(redis: Redis, measuredMs: number): Promise<number> {
  const [before, begun] = [await busyMs(redis), performance.now()];
  await delay(measuredMs);
  return (100 * ((await busyMs(redis)) - before)) / (performance.now() - begun);
}

async function busyMs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = (of: string): number => Number(new RegExp(`used_cpu_${of}_main_thread:([\\d.]+)`).exec(info)?.[1]);
  return 1_000 * (seconds('user') + seconds('sys'));
}
