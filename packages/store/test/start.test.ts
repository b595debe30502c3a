import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/processes/free-port.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { Store } from '../src/index.ts';

test('a store may be started a moment before its Redis is', async () => {
  const port = await freePort();
  const store = new Store({ redisUrl: `redis://127.0.0.1:${port}` }, () => undefined);
  const started = store.start();
  await delay(300); // so that the first attempts are in vain
  const redis = await startRedis({ port });
  await started;
  expect(await store.queue.waiting('echo')).toBe(0);
  await store.stop();
  await redis.stop();
});

test('a Redis that does not come is an error that says so', async () => {
  const store = new Store({ redisUrl: `redis://127.0.0.1:${await freePort()}` }, () => undefined);
  await expect(store.start()).rejects.toThrow();
  await store.stop();
}, 15_000);
