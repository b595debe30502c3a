import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { costOf, dividedBy, leastOf, type Watched } from '../measure/meter.ts';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis({ appendOnly: true });
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const watched = (): Watched => ({ redis, gateway: process.pid });

/** By the processor's time: on a busy machine, less of it fits into a second. */
function busyFor(ms: number): void {
  const before = process.threadCpuUsage();
  while (process.threadCpuUsage(before).user < ms * 1_000);
}

it('the processor time of a process is measured, not the time by the clock', async () => {
  const before = process.cpuUsage();
  const { gateway, worker } = await costOf(watched(), async () => busyFor(200));
  const { user, system } = process.cpuUsage(before);
  expect(gateway / (user + system)).toBeGreaterThan(0.8);
  expect(gateway / (user + system)).toBeLessThan(1.2);
  expect(worker).toBe(0);
});

it("Redis' time, traffic and publications are counted", async () => {
  const {
    redis: micros,
    netBytes,
    published,
  } = await costOf(watched(), () => Promise.all(Array.from({ length: 500 }, () => redis.spublish('nobody', 'hears'))));
  expect(published).toBeGreaterThanOrEqual(500);
  expect(netBytes).toBeGreaterThan(500 * 'SPUBLISH nobody hears'.length);
  expect(micros).toBeGreaterThan(0);
});

it('the minimum of several measurements counts', async () => {
  const costs = [3, -1, 2].map((gateway) => ({
    gateway,
    worker: 4,
    redis: 0,
    fileBytes: 0,
    netBytes: 0,
    published: 0,
  }));
  const least = await leastOf(3, async () => dividedBy(costs.shift() ?? costs[0] ?? never(), 2));
  expect(least).toMatchObject({ gateway: -0.5, worker: 2 });
});

function never(): never {
  throw new Error('there are only three costs');
}
