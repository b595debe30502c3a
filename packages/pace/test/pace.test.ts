import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type TestStore, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import type { PaceLimits, RoomAnswer } from '../src/index.ts';

const store = await testStore();
const redis = testRedis();
const others = await Promise.all([1, 2].map(() => testStore({ prefix: store.settings.prefix })));

/** Requests under limits of a name of their own. */
function paced(limits: PaceLimits, name: string = randomUUID()) {
  return {
    name,
    ask: (given: { id?: string; tenant?: string; tokens?: number; tag?: string | undefined; at?: TestStore } = {}) => {
      const { at = store, id = randomUUID(), tenant = 'acme', tokens = 1, tag } = given;
      return at.pace.ask({ name, limits, id, tenant, tokens, tag });
    },
    correct: (id: string, tokens?: number, pausedMs?: number) =>
      store.pace.correct({ name, limits }, { id, tokens, pausedMs }),
    /** As a turn does. @returns when it began */
    async begin(at: TestStore, tokens: number, id: string = randomUUID()): Promise<number> {
      for (let reply: RoomAnswer | undefined; ; ) {
        reply = await this.ask({ at, id, tokens, tag: reply?.tag });
        await delay(reply.verdict === 'go' ? reply.inMs : reply.askMs);
        if (reply.verdict === 'go') return performance.now();
      }
    },
  };
}

test('several processes keep a number of tokens per minute together, though they guess what each request uses', async () => {
  const [burstMs, perSecond, guess, real, count] = [100, 2_000, 50, 100, 40];
  const limit = paced({ tokensPerMinute: 60 * perSecond, burstMs });
  const startedAt = performance.now();
  const begun = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const id = randomUUID();
      const begunAt = await limit.begin([store, ...others][i % 3] ?? store, guess, id);
      await limit.correct(id, real - guess);
      return begunAt;
    }),
  );
  const seconds = (Math.max(...begun) - startedAt) / 1_000;
  // What is reserved ahead of its beginning is counted by the guess until it is corrected.
  const ahead = burstMs + 200;
  expect(real * count).toBeLessThanOrEqual(perSecond * (seconds + ahead / 1_000) + real);
  // A fleet that lost time at each request would take twice as long. A busy machine may take longer.
  expect(seconds).toBeLessThan(6);
});

test('a request has one reservation and one correction, however often its commands are sent', async () => {
  const limit = paced({ tokensPerMinute: 60_000, burstMs: 0 });
  const id = randomUUID();
  const first = await limit.ask({ id, tokens: 60_000 });
  expect([first.verdict, (await limit.ask({ id, tokens: 60_000 })).verdict]).toEqual(['go', 'go']);
  await limit.correct(id, -30_000);
  await limit.correct(id, -30_000);
  const { inMs } = await limit.ask();
  expect(inMs).toBeGreaterThan(25_000);
  expect(inMs).toBeLessThanOrEqual(30_000);
});

test('a pause counts for every process, and the longest one counts', async () => {
  const limit = paced({});
  const id = randomUUID();
  expect(await limit.ask({ id })).toMatchObject({ verdict: 'go', inMs: 0 });
  await limit.correct(id, undefined, 60_000);
  await limit.correct(id, undefined, 1_000);
  const reply = await limit.ask({ at: others[0] as TestStore });
  expect(reply.verdict).toBe('wait');
  expect(reply.inMs).toBeGreaterThan(50_000);
});

test('tenants take turns, and each tenant keeps its order', async () => {
  const limit = paced({ requestsPerMinute: 1 });
  await limit.ask({ tenant: 'busy' });
  await limit.ask({ tenant: 'busy' });
  const tags: [string, number][] = [];
  for (const tenant of ['busy', 'busy', 'busy', 'busy', 'small', 'small'])
    tags.push([tenant, Number((await limit.ask({ tenant })).tag)]);
  const order = tags.toSorted(([, a], [, b]) => a - b).map(([tenant]) => tenant);
  // The tenant that came last is not last.
  expect(order.lastIndexOf('small')).toBeLessThan(order.lastIndexOf('busy') - 1);
  const [, , , , [, first] = ['', 0], [, second] = ['', 0]] = tags;
  expect(first).toBeLessThan(second);
});

test('a dead process spends its reservation, and its request that waits leaves the line', async () => {
  const limit = paced({ requestsPerMinute: 600, burstMs: 400 });
  // Its process dies after this.
  await limit.ask({ id: 'reserved' });
  for (let reply = await limit.ask(); reply.verdict === 'go'; ) reply = await limit.ask();
  await limit.begin(store, 1);
  const { prefix } = store.settings;
  const left = await redis.zrange(`${prefix}{s0}:pace:${limit.name}:line`, '0', '-1');
  expect(left.length).toBeLessThanOrEqual(1);
  const keys = await redis.keys(`${prefix}{s0}:pace:*`);
  const lives = await Promise.all(keys.map((key) => redis.pttl(key)));
  expect(lives.filter((ms) => ms <= 0)).toEqual([]);
});

test('requests and tokens are limited at the same time', async () => {
  const limit = paced({ requestsPerMinute: 60, tokensPerMinute: 600, burstMs: 0 });
  await limit.ask({ tokens: 100 });
  const { inMs } = await limit.ask({ tokens: 1 });
  expect(inMs).toBeGreaterThan(9_000);
  expect(inMs).toBeLessThanOrEqual(10_000);
});
