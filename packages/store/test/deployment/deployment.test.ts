import { ioredisProblem, versionProblem } from '@switchyard/redis';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { startRedis } from '../../../../tests/support/redis.ts';
import { RedisUnusable, Store } from '../../src/index.ts';
import { accepted, begun } from '../support/drive.ts';
import { alice, testRedis, testStore } from '../support/redis.ts';

const stores: Store[] = [];
afterAll(() => Promise.all(stores.map((store) => store.stop())));

function createStore(settings: ConstructorParameters<typeof Store>[0]): Store {
  const store = new Store(settings, () => undefined);
  stores.push(store);
  return store;
}

describe('a store', () => {
  test('refuses to start with another number of shards than its deployment has', async () => {
    const prefix = uniquePrefix();
    const redisUrl = inject('redisUrl');
    await createStore({ redisUrl, prefix, shards: 2 }).start();
    await expect(createStore({ redisUrl, prefix, shards: 3 }).start()).rejects.toThrow(/SHARDS=2.*SHARDS=3/);
  });

  test('refuses to start with another number than its deployment has', async () => {
    const prefix = uniquePrefix();
    const redisUrl = inject('redisUrl');
    await createStore({ redisUrl, prefix, deployment: 3 }).start();
    await createStore({ redisUrl, prefix, deployment: 3 }).start();
    await expect(createStore({ redisUrl, prefix }).start()).rejects.toThrow(/made with DEPLOYMENT=3.*DEPLOYMENT=0/);
    await expect(createStore({ redisUrl, prefix: uniquePrefix(), deployment: 256 }).start()).rejects.toThrow(
      /0 to 255/,
    );
  });

  test('refuses to start with a Redis that may evict keys', async () => {
    const redis = await startRedis();
    try {
      const evicting = createStore({ redisUrl: redis.url });
      const { Redis } = await import('ioredis');
      const connection = new Redis(redis.url);
      await connection.config('SET', 'maxmemory-policy', 'allkeys-lru');
      connection.disconnect();
      await expect(evicting.start()).rejects.toThrow(RedisUnusable);
    } finally {
      await redis.stop();
    }
  });

  test.each([
    ['6.2.14', /^Redis 6\.2\.14 is too old: it has no sharded channels\. Use Redis 7\.0 or Valkey 7\.2/],
    ['7.0.0', undefined],
    ['10.1.0', undefined],
    [undefined, undefined],
  ])('refuses a Redis without sharded channels (%s)', (version, problem) => {
    if (problem) expect(versionProblem(version)).toMatch(problem);
    else expect(versionProblem(version)).toBeUndefined();
  });

  test('can be stopped twice', async () => {
    const store = createStore({ redisUrl: inject('redisUrl'), prefix: uniquePrefix() });
    await store.start();
    await Promise.all([store.stop(), store.stop()]);
  });

  test('distributes contexts over its shards, and lists the tasks of all shards', async () => {
    const store = await testStore({ shards: 4 });
    const tasks = await Promise.all(Array.from({ length: 24 }, () => accepted(store, alice)));
    const redis = testRedis();
    const shards = new Set<string>();
    for (const { taskId } of tasks) {
      const [key = ''] = await redis.keys(`${store.settings.prefix}{s*}:t:${taskId}`);
      shards.add(/\{(s\d+)\}/.exec(key)?.[1] ?? '');
    }
    expect(shards.size).toBeGreaterThan(1);
    expect(await store.queue.waiting('echo')).toBe(24);
    const page = await store.tasks.list(alice, { pageSize: 10 });
    expect([page.tasks.length, page.totalSize]).toEqual([10, 24]);
    const [{ taskId, contextId } = { taskId: '', contextId: '' }] = tasks;
    const sibling = await accepted(store, alice, {
      messageId: 's',
      role: 'ROLE_USER',
      parts: [{ text: 'x' }],
      contextId,
    });
    expect((await store.tasks.list(alice, { contextId, pageSize: 10 })).totalSize).toBe(2);
    expect((await store.tasks.read(alice, sibling.taskId))?.state).toBe('TASK_STATE_SUBMITTED');
    await begun(store, taskId);
  });
});

test('the installed version of ioredis is supported; any other one is reported', () => {
  expect(ioredisProblem()).toBeUndefined();
  expect(ioredisProblem('6.0.1')).toContain('ioredis 6.0.1 is installed');
});
