import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../../tests/support/redis.ts';
import type { Scope, Store } from '../../src/index.ts';
import type { AgentQueue } from '../../src/queue/agent-queue.ts';
import { accepted, begun, userMessage } from '../support/drive.ts';
import { testRedis, testStore } from '../support/redis.ts';
import { queueOf } from '../support/runs.ts';

// A tenant that floods an agent must not delay the turns of other tenants.

const redis = testRedis();

const of = (tenant: string, agent = 'echo'): Scope => ({
  principal: { tenant, subject: 'someone', scopes: [] },
  agent,
});

/** Takes jobs of an agent's queue, and names their tenants. */
class Taker {
  readonly queue: AgentQueue;
  readonly #store: Store;
  #number = 0;

  constructor(store: Store, queue = 'echo') {
    this.#store = store;
    this.queue = queueOf(store, redis, { queue });
  }

  async take(count: number) {
    const number = this.#number;
    this.#number += count;
    return (await this.queue.take({ taker: 'taker', number, count, kinds: 'any' })).jobs;
  }

  async tenantsOfNext(count: number): Promise<string[]> {
    const jobs = await this.take(count);
    return Promise.all(jobs.map(({ id }) => this.#tenantOf(id)));
  }

  async #tenantOf(id: string): Promise<string> {
    const [taskId = ''] = id.split('.');
    const owner = await redis.hget(`${this.#store.settings.prefix}{s0}:t:${taskId}`, 'owner');
    return owner?.split('/')[0] ?? '';
  }
}

async function sends(store: Store, tenant: string, count = 1): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => accepted(store, of(tenant))));
}

const countOf = (name: string, names: readonly string[]): number => names.filter((one) => one === name).length;

describe('a tenant with many waiting tasks', () => {
  test('does not delay another tenant: its only task is one of the next two', async () => {
    const store = await testStore();
    const taker = new Taker(store);
    await sends(store, 'heavy', 1_000);
    await taker.take(16);
    await sends(store, 'light');
    expect(await taker.tenantsOfNext(2)).toContain('light');
  });

  test.each(['canceled', 'canceled and deleted'])(
    'is not charged for tasks that it %s before they began',
    async (how) => {
      const store = await testStore();
      const ended = await Promise.all(Array.from({ length: 60 }, () => accepted(store, of('light'))));
      for (const { taskId } of ended) {
        expect(await store.tasks.cancel(of('light'), taskId)).toBe('canceled');
        if (how !== 'canceled') expect(await store.tasks.delete(of('light'), taskId)).toBe('deleted');
      }
      expect(await store.queue.waiting('echo')).toBe(0);
      await sends(store, 'heavy', 50);
      await sends(store, 'light', 5);
      expect(countOf('light', await new Taker(store).tenantsOfNext(10))).toBe(5);
    },
  );

  test('that it cancels makes Redis look at 100 other jobs for each at most', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const store = await testStore({ redisUrl: server.url });
    const tasks = await Promise.all(Array.from({ length: 300 }, () => accepted(store, of('heavy'))));
    const own = new Redis(server.url);
    await own.config('RESETSTAT');
    expect(await store.tasks.cancel(of('heavy'), tasks[0]?.taskId ?? '')).toBe('canceled');
    const [, reads] = /cmdstat_hget:calls=(\d+)/.exec(await own.info('commandstats')) ?? [];
    expect(Number(reads)).toBeGreaterThanOrEqual(100);
    expect(Number(reads)).toBeLessThan(110);
    own.disconnect();
    await store.stop();
  });

  test('gets a third of the turns beside two others, in any order of arrival', async () => {
    const store = await testStore();
    const taker = new Taker(store);
    await sends(store, 'first', 600);
    await sends(store, 'second', 110);
    await taker.take(16);
    await sends(store, 'third', 110);
    const next: string[] = [];
    while (next.length < 300) next.push(...(await taker.tenantsOfNext(10)));
    for (const tenant of ['first', 'second', 'third']) {
      expect(countOf(tenant, next)).toBeGreaterThanOrEqual(98);
      expect(countOf(tenant, next)).toBeLessThanOrEqual(102);
    }
  });

  test('is charged again for retries', async () => {
    const store = await testStore();
    const taker = new Taker(store);
    await sends(store, 'heavy', 30);
    for (const job of await taker.take(30)) await job.end({ retryAfterMs: 1 });
    await sends(store, 'light', 10);
    await redis.eval(
      "for i, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('ZADD', KEYS[1], i, id) end",
      1,
      `${taker.queue.root}delayed`,
    );
    expect(countOf('light', await taker.tenantsOfNext(20))).toBe(10);
  });

  test('gets no more turns by jobs that were given back', async () => {
    const store = await testStore();
    const taker = new Taker(store);
    await sends(store, 'heavy', 40);
    await sends(store, 'light', 40);
    for (const job of await taker.take(10)) await job.end('requeue');
    const next = await taker.tenantsOfNext(40);
    expect(countOf('light', next)).toBeGreaterThanOrEqual(19);
    expect(countOf('heavy', next)).toBeGreaterThanOrEqual(19);
  });

  test('is charged for detached calls of its agents', async () => {
    const store = await testStore();
    const caller = await begun(store, (await accepted(store, of('heavy', 'caller'))).taskId);
    for (let n = 0; n < 20; n++) {
      const submission = { message: userMessage(`${n}`, { contextId: caller.start.task.contextId ?? '' }) };
      const called = await store.calls.place(caller, { agent: 'echo', submission, isDetached: true });
      expect(called.verdict).toBe('accepted');
    }
    await sends(store, 'heavy', 20);
    await sends(store, 'light', 10);
    expect(countOf('light', await new Taker(store).tenantsOfNext(20))).toBe(10);
  });

  test('and many webhooks does not delay the deliveries of another tenant', async () => {
    const store = await testStore();
    const url = 'https://example.com/hook';
    for (const tenant of [...Array.from({ length: 30 }, () => 'heavy'), 'light']) {
      const message = userMessage('hello');
      await store.tasks.accept(of(tenant), { message, webhook: { url } });
    }
    while (await store.deliveries.claim());
    expect(await new Taker(store, '@push').tenantsOfNext(2)).toContain('light');
  });
});
