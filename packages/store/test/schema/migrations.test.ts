import { expect, test } from 'vitest';
import type { MigrationEvent, Store } from '../../src/index.ts';
import { accepted, begun } from '../support/drive.ts';
import { alice, bob, type TestStore, testRedis, testStore } from '../support/redis.ts';

const redis = testRedis();
const globex = { ...alice, principal: { ...alice.principal, tenant: 'globex' } };

/** Creates tasks as a release without the index of agents and without counts left them. @returns their ids by state */
async function tasksOfOldRelease(store: Store) {
  const [open, waiting, ended] = await Promise.all([
    accepted(store, alice),
    accepted(store, bob),
    accepted(store, globex),
  ]);
  await accepted(store, globex);
  const turn = await begun(store, waiting.taskId);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
  await store.tasks.cancel(globex, ended.taskId);
  const root = `${store.settings.prefix}{s0}:`;
  for (const { taskId } of [open, waiting, ended]) await redis.hdel(`${root}t:${taskId}`, 'listed');
  await redis.del(`${root}a:echo`, `${root}outbox:open`);
  await redis.hset(`${root}outbox:open`, 'acme', 17, 'initech', 3);
  await redis.del(`${store.settings.prefix}{agents}:schema`);
  await store.schema.register();
  return { open: open.taskId, waiting: waiting.taskId, ended: ended.taskId };
}

const never = new AbortController().signal;

async function migrate(store: Store, signal = never): Promise<MigrationEvent[]> {
  const events: MigrationEvent[] = [];
  await store.migrator.run((event) => events.push(event), signal);
  return events;
}

const found = async (store: TestStore, state: 'open' | 'ended') => {
  const states = {
    open: ['TASK_STATE_SUBMITTED', 'TASK_STATE_INPUT_REQUIRED'],
    ended: ['TASK_STATE_CANCELED'],
  } as const;
  const { tasks } = await store.ops.searchTasks({ agent: 'echo', states: states[state], pageSize: 10, hasText: false });
  return tasks.map(({ taskId }) => taskId).sort();
};

const openTasks = (store: Store) => redis.hgetall(`${store.settings.prefix}{s0}:outbox:open`);

test('a migration adds tasks of an old release to the index of their agent, and counts open tasks again', async () => {
  const store = await testStore();
  const { open, waiting, ended } = await tasksOfOldRelease(store);
  expect(await found(store, 'ended')).toEqual([]);
  const events = await migrate(store);
  expect(events.map(({ kind }) => kind)).toEqual([
    'migration-began',
    'migration-done',
    'migration-began',
    'migration-done',
  ]);
  expect(await found(store, 'ended')).toEqual([ended]);
  expect(await found(store, 'open')).toEqual(expect.arrayContaining([open, waiting]));
  expect(await openTasks(store)).toEqual({ acme: '2', globex: '1' });
  expect(store.schema.latest).toMatchObject({ version: 1, migrated: 1 });
  expect(await migrate(store)).toEqual([]);

  // Migrated tasks are indexed and counted like all others.
  await store.tasks.cancel(alice, open);
  expect(await found(store, 'ended')).toEqual([ended, open].sort());
  expect(await openTasks(store)).toEqual({ acme: '1', globex: '1' });
});

test('an interrupted migration is run again by any process', async () => {
  const store = await testStore();
  const { ended } = await tasksOfOldRelease(store);
  const stopped = new AbortController();
  stopped.abort(new Error('the worker stops'));
  await expect(migrate(store, stopped.signal)).rejects.toThrow('the worker stops');
  const other = await testStore({ prefix: store.settings.prefix });
  expect(other.schema.latest?.migrated).toBe(0);
  await migrate(other);
  expect(await found(store, 'ended')).toEqual([ended]);
});

test('one process at a time migrates, and none while processes of an older release run', async () => {
  const store = await testStore();
  await tasksOfOldRelease(store);
  const other = await testStore({ prefix: store.settings.prefix });
  await store.migrator.lock.hold();
  // As if the lock had expired because its holder was frozen.
  await redis.del(`${store.settings.prefix}{agents}:schema:lock`);
  await other.migrator.lock.hold();
  await store.migrator.lock.release();
  expect(await migrate(store)).toEqual([]);
  await other.migrator.lock.release();
  const [seconds] = await redis.time();
  const workers = `${store.settings.prefix}{agents}:workers`;
  await redis.zadd(workers, Number(seconds) * 1_000, 'old-worker');
  expect(await migrate(store)).toEqual([{ kind: 'migration-waits', reason: 'older programs still run: old-worker' }]);
  expect(await migrate(store)).toEqual([]);
  await redis.zrem(workers, 'old-worker');
  expect(await migrate(store)).toHaveLength(4);
});

test('a migration counts open tasks although an entry of the outbox has no task', async () => {
  const store = await testStore();
  await tasksOfOldRelease(store);
  await redis.zadd(`${store.settings.prefix}{s0}:outbox`, Date.now() + 60_000, 'gone');
  await migrate(store);
  expect(await openTasks(store)).toEqual({ acme: '2', globex: '1' });
});

test('tasks are migrated again after a worker of an older release has run again', async () => {
  const store = await testStore();
  await tasksOfOldRelease(store);
  await migrate(store);
  const workers = `${store.settings.prefix}{agents}:workers`;
  const [seconds] = await redis.time();
  await redis.zadd(workers, Number(seconds) * 1_000, 'old-worker');
  expect(await store.schema.register()).toMatchObject({ migrated: 0 });
  await redis.hset(`${store.settings.prefix}{s0}:outbox:open`, 'acme', 17);
  await redis.zrem(workers, 'old-worker');
  await migrate(store);
  expect(await openTasks(store)).toEqual({ acme: '2', globex: '1' });
});
