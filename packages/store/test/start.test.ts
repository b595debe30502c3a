import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { Store } from '../src/index.ts';

/** Where there was a Redis a moment ago, and is none now. */
async function deserted(): Promise<string> {
  const redis = await startRedis();
  await redis.stop();
  return redis.url;
}

test('a store may be started a moment before its Redis is', async () => {
  const redisUrl = await deserted();
  const store = new Store({ redisUrl }, () => undefined);
  const started = store.start();
  await delay(300); // so that the first attempts fail
  const redis = await startRedis({ port: Number(new URL(redisUrl).port) });
  await started;
  expect(await store.queue.waiting('echo')).toBe(0);
  await store.stop();
  await redis.stop();
});

test('a Redis that does not start is an error', async () => {
  const store = new Store({ redisUrl: await deserted() }, () => undefined);
  await expect(store.start()).rejects.toThrow(/REDIS_URL/);
  await store.stop();
}, 15_000);
