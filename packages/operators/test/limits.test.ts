import { expect, test } from 'vitest';
import { accepted } from '../../../tests/support/store/drive.ts';
import { alice, testRedis, testStore } from '../../../tests/support/store/redis.ts';

const redis = testRedis();

test('a limit is listed from four fifths of it on, with its setting and whom it limits', async () => {
  const store = await testStore({ maxOpenTasks: 5, maxKeptTasks: 100 });
  for (let n = 0; n < 3; n++) await accepted(store, alice);
  expect((await store.ops.overview()).limits).toEqual([]);
  const { taskId } = await accepted(store, alice);
  const [limit, ...others] = (await store.ops.overview()).limits;
  const of = 'acme/alice at echo';
  expect(limit).toEqual({ limit: 'open-tasks', setting: 'MAX_OPEN_TASKS', of, used: 4, max: 5 });
  expect(others).toEqual([]);
  await store.tasks.cancel(alice, taskId);
  expect((await store.ops.overview()).limits).toEqual([]);
});

test('a full quota, tenant and queue are listed, too, the fullest first', async () => {
  const store = await testStore({ maxKeptTasks: 2, maxOpenTasksOfTenant: 10, maxWaiting: 2, retentionMinMs: 60_000 });
  const card = { name: 'Echo', description: 'Echoes.', version: '1', skills: [] };
  const modes = { defaultInputModes: [], defaultOutputModes: [], supportedInterfaces: [], capabilities: {} };
  await store.registry.announce(
    [{ id: 'echo', card: { ...card, ...modes }, repliesWithMessage: false, concurrency: 1 }],
    'w',
  );
  await accepted(store, alice);
  await accepted(store, alice);
  for (let n = 0; n < 6; n++) await accepted(store, { ...alice, agent: `other-${n}` });
  const limits = (await store.ops.overview()).limits.map(({ limit, used, max }) => `${limit} ${used} of ${max}`);
  expect(limits.sort()).toEqual(['kept-tasks 2 of 2', 'open-tasks-of-tenant 8 of 10', 'waiting-messages 2 of 2']);
});

test('the overview says how long ended tasks are kept, if they go early', async () => {
  const store = await testStore({ retentionMs: 100_000 });
  expect((await store.ops.overview()).kept).toEqual({ wantedMs: 100_000, keptMs: 100_000 });
  await redis.hset(store.inside.shards.of('').room, { at: Date.now(), kept_ms: 7_000, dropped: 1 });
  expect((await store.ops.overview()).kept).toEqual({ wantedMs: 100_000, keptMs: 7_000 });
});
