import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { Store } from '../src/index.ts';

/** The URL of a Redis that was stopped. */
async function urlOfStoppedRedis(): Promise<string> {
  const redis = await startRedis();
  await redis.stop();
  return redis.url;
}

test('a store can be started shortly before its Redis', async () => {
  const redisUrl = await urlOfStoppedRedis();
  const store = new Store({ redisUrl }, () => undefined);
  const started = store.start();
  await delay(300); // long enough for the first attempts to fail
  const redis = await startRedis({ port: Number(new URL(redisUrl).port) });
  await started;
  expect(await store.queue.waiting('echo')).toBe(0);
  await store.stop();
  await redis.stop();
});

test('the start of a store fails if Redis stays unreachable', async () => {
  const store = new Store({ redisUrl: await urlOfStoppedRedis() }, () => undefined);
  await expect(store.start()).rejects.toThrow(/REDIS_URL/);
  await store.stop();
}, 15_000);
