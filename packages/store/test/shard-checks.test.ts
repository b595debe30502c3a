import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { ShardKeys } from '../src/deployment/keys.ts';
import { Shards } from '../src/deployment/shards.ts';
import type { DueWork, JobOutcome, Store } from '../src/index.ts';
import { checkShard } from '../src/queue/shard-checks.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();

/** Starts a consumer that runs each job at once; with it the checks of its store begin. */
async function consume(store: Store, queue: string): Promise<string[]> {
  const runs: string[] = [];
  const run = async ({ taskId }: { taskId: string }): Promise<JobOutcome> => {
    runs.push(taskId);
    return 'done';
  };
  const consumer = store.turns.consume({ queue, concurrency: 4, run, onError: () => undefined });
  await consumer.start();
  onTestFinished(() => consumer.stop());
  return runs;
}

test('a job whose wake-up was lost is found by a process that does not serve its queue', async () => {
  const store = await testStore({ leaseMs: 300 });
  await consume(store, 'kitchen');
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  // As if a process had served the queue.
  await redis.zadd(`${store.settings.prefix}{s0}:q`, Date.now(), 'echo');
  await accepted(store, alice);
  await redis.del(`${root}marker`);
  await until(() => redis.exists(`${root}marker`), { what: 'the marker is set again' });
  await redis.hset(`${root}meta`, 'paused', 1);
  await redis.del(`${root}marker`);
  const checked = `${store.settings.prefix}{s0}:checked`;
  await redis.del(checked);
  await until(() => redis.exists(checked), { what: 'a check' });
  expect(await redis.exists(`${root}marker`)).toBe(0);
});

test('a process that got no wake-up takes the job although its connection may be dead', async () => {
  const store = await testStore({ leaseMs: 300 });
  const runs = await consume(store, 'echo');
  const marker = `${store.settings.prefix}{s0}:q:echo:marker`;
  const [{ taskId }] = await Promise.all([accepted(store, alice), redis.del(marker)]);
  await until(() => runs.includes(taskId), { what: 'the job runs' });
});

test('one process at a time is told of due work', async () => {
  const store = await testStore({ sweepAfterMs: 1 });
  const keys = new ShardKeys(store.settings.prefix, 0);
  await accepted(store, alice);
  await store.tasks.accept(alice, { message: userMessage(), schedule: { at: new Date().toISOString() } });
  const check = () =>
    checkShard(redis, keys, { everyMs: 60_000, leaseMs: 60_000, maxInterruptedMs: 60_000, names: [] });
  await until(async () => (await redis.zcount(keys.outbox, 0, Date.now())) === 1, { what: 'the task is due' });
  expect(await check()).toEqual([-1, 0, ['outbox'], []]);
  expect(await check()).toEqual([-1, -1, [], []]);
});

test('a tenant whose tasks have all ended is counted until the next check', async () => {
  const store = await testStore();
  const keys = new ShardKeys(store.settings.prefix, 0);
  const check = async () => {
    await redis.del(keys.checked);
    return checkShard(redis, keys, { everyMs: 1, leaseMs: 60_000, maxInterruptedMs: 60_000, names: [] });
  };
  const { taskId } = await accepted(store, alice);
  await accepted(store, { ...alice, principal: { ...alice.principal, tenant: 'globex' } });
  const turn = await begun(store, taskId);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  expect(await redis.hgetall(keys.openTasks)).toEqual({ acme: '0', globex: '1' });
  await check();
  expect(await redis.hgetall(keys.openTasks)).toEqual({ globex: '1' });
});

test('a process is told of the shards that have due work', async () => {
  const store = await testStore({ leaseMs: 300, sweepAfterMs: 1, shards: 4 });
  const told: [DueWork, string][] = [];
  for (const kind of ['outbox', 'timed'] as const)
    onTestFinished(store.dueWork.listen(kind, ({ tasks }) => void told.push([kind, tasks])));
  await consume(store, 'kitchen');
  const { taskId } = await accepted(store, alice);
  const schedule = { at: new Date().toISOString() };
  await store.tasks.accept(alice, { message: userMessage(), schedule });
  const isTold = (of: DueWork): boolean => told.some(([kind]) => kind === of);
  await until(() => isTold('outbox') && isTold('timed'), { what: 'it is told of both' });
  const shards = new Shards(store.settings.prefix, 4);
  expect(told.filter(([kind]) => kind === 'outbox').every(([, tasks]) => tasks === shards.of(taskId).tasks)).toBe(true);
});
