import { setTimeout as delay } from 'node:timers/promises';
import { AuditTrail, auditKey } from '@switchyard/access';
import { connectWithRetries, createConnections, isOutage } from '@switchyard/redis';
import { expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { Store } from '../src/index.ts';

/** The URL of a Redis that was stopped. */
async function urlOfStoppedRedis(): Promise<string> {
  const redis = await startRedis();
  await redis.stop();
  return redis.url;
}

test.concurrent('a store can be started shortly before its Redis', async () => {
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

test.concurrent('the start of a store fails if Redis stays unreachable', async () => {
  const store = new Store({ redisUrl: await urlOfStoppedRedis() }, () => undefined);
  await expect(store.start()).rejects.toThrow(/REDIS_URL/);
  await store.stop();
});

test.concurrent('while its Redis has not been reached, requests are refused at once, and none is executed later', async () => {
  const redisUrl = await urlOfStoppedRedis();
  const store = new Store({ redisUrl }, () => undefined);
  const started = store.start().then(
    () => true,
    () => false,
  );
  await until(() => !store.isAnswering, { what: 'its Redis is known to be away' });
  const audit = new AuditTrail(store.forRequests(60_000).inside);
  const event = { at: new Date().toISOString(), what: 'read', outcome: 'ok' } as const;
  await expect(audit.write([event])).rejects.toSatisfy(isOutage);
  const redis = await startRedis({ port: Number(new URL(redisUrl).port) });
  if (!(await started)) await store.start();
  await until(() => store.isAnswering, { what: 'its Redis answers' });
  expect(await store.inside.redis.exists(auditKey(store.settings.prefix))).toBe(0);
  await store.stop();
  await redis.stop();
});

test.concurrent('a start that failed leaves no listener', async () => {
  const redisUrl = await urlOfStoppedRedis();
  const { commands } = createConnections({ redisUrl }, { isReplicated: false });
  commands.on('error', () => undefined);
  const before = commands.listenerCount('ready');
  await expect(connectWithRetries(commands)).rejects.toThrow(/REDIS_URL/);
  expect(commands.listenerCount('ready')).toBe(before);
  commands.disconnect();
});
