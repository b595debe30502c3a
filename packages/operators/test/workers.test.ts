import { expect, test } from 'vitest';
import { accepted, begun } from '../../../tests/support/store/drive.ts';
import { alice, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { patience, until } from '../../../tests/support/until.ts';

const store = await testStore({ shards: 4 });
const redis = testRedis();
const { workers } = store.ops;
const idle = { agents: ['echo'], upForMs: 60_000, isDraining: false, turns: [] };

test('a worker is listed with its report, with times by the clock of Redis', async () => {
  const turn = { taskId: 'one', epoch: 2, runsForMs: 1_500 };
  await workers.report('a', { ...idle, turns: [turn] });
  const worker = (await workers.list()).find(({ id }) => id === 'a');
  expect(worker).toMatchObject({ state: 'working', agents: ['echo'], turns: [{ taskId: 'one', epoch: 2 }] });
  const seen = Date.parse(worker?.lastHeartbeat ?? '');
  expect(Math.abs(Date.now() - seen)).toBeLessThan(5_000 * patience);
  expect(seen - Date.parse(worker?.since ?? '')).toBe(60_000);
  expect(seen - Date.parse(worker?.turns[0]?.since ?? '')).toBe(1_500);
  await workers.withdraw('a');
  expect((await workers.list()).map(({ id }) => id)).not.toContain('a');
});

test('a drain order is notified at once, and returned by every report until undrain', async () => {
  await workers.report('b', idle);
  let notifications = 0;
  const unsubscribe = await workers.onDrainRequest('b', () => notifications++);
  expect(await workers.drain('b', { giveBackAfterMs: 500 })).toBe(true);
  await until(() => notifications === 1, { what: 'the worker is notified' });
  expect(await workers.report('b', idle)).toEqual({ giveBackAfterMs: 500 });
  expect(
    await workers.report('b', { ...idle, isDraining: true, turns: [{ taskId: 'x', epoch: 1, runsForMs: 1 }] }),
  ).toBeDefined();
  expect((await workers.list()).find(({ id }) => id === 'b')?.state).toBe('draining');
  await workers.report('b', idle);
  expect((await workers.list()).find(({ id }) => id === 'b')?.state).toBe('draining');
  await workers.report('b', { ...idle, isDraining: true });
  expect((await workers.list()).find(({ id }) => id === 'b')?.state).toBe('drained');
  expect(await workers.undrain('b')).toBe(true);
  expect(await workers.report('b', idle)).toBeUndefined();
  unsubscribe();
});

test('a worker that never reported cannot be drained', async () => {
  expect(await workers.drain('unknown')).toBe(false);
  expect(await workers.undrain('unknown')).toBe(false);
});

test('a worker without a report for 6 s is "silent"; after 11 min it is deleted with its drain order', async () => {
  await workers.report('dead', idle);
  await workers.drain('dead');
  const [key = ''] = (await redis.keys(`${store.settings.prefix}{agents}:workers`)).filter(Boolean);
  await redis.zadd(key, Date.now() - 6_000, 'dead');
  expect((await workers.list()).find(({ id }) => id === 'dead')?.state).toBe('silent');
  await redis.zadd(key, Date.now() - 11 * 60_000, 'dead');
  await workers.report('alive', idle);
  expect((await workers.list()).map(({ id }) => id)).not.toContain('dead');
  expect(await redis.hkeys(`${key}:reports`)).not.toContain('dead drain');
  expect(await redis.pttl(key)).toBeGreaterThan(0);
  expect(await redis.pttl(`${key}:reports`)).toBeGreaterThan(0);
});

test('a running turn is listed while its worker reports the current epoch of its task', async () => {
  const { taskId } = await accepted(store, alice);
  await begun(store, taskId);
  await workers.report('c', { ...idle, turns: [{ taskId, epoch: 1, runsForMs: 100 }] });
  const { items } = await store.ops.listTurns({ pageSize: 10 });
  expect(items).toMatchObject([{ taskId, agent: 'echo', worker: 'c', epoch: 1, attempt: 1 }]);
  expect(Math.abs(Date.now() - Date.parse(items[0]?.lastHeartbeat ?? ''))).toBeLessThan(5_000 * patience);
  await begun(store, taskId, { started: 2 });
  expect((await store.ops.listTurns({ pageSize: 10 })).items).toEqual([]);
});
