import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { Store } from '../src/index.ts';
import { AgentQueue, type TakenJob } from '../src/queue/agent-queue.ts';
import { Leases } from '../src/queue/leases.ts';
import { Shards } from '../src/redis/shards.ts';
import { accepted } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { killRun, LONG_LEASE_MS, recoverNow } from './support/runs.ts';

const redis = testRedis();
/** A lease that must be checked. */
const longAgo = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: 0 };

afterEach(() => {
  vi.restoreAllMocks();
});

const queueOf = ({ settings: { prefix, shards } }: Store): AgentQueue =>
  new AgentQueue(redis, new Shards(prefix, shards).of(''), 'echo');

async function take(queue: AgentQueue, { taker = 'process', number = 0, count = 1, leaseMs = LONG_LEASE_MS } = {}) {
  const { jobs } = await queue.take(leaseMs, { taker, number, count, kinds: 'any' });
  return jobs;
}

async function takeOne(queue: AgentQueue): Promise<TakenJob> {
  const [job] = await take(queue);
  if (!job) throw new Error('no job waits');
  return job;
}

const leasesOf = (processId: string) =>
  new Leases({ redis, leaseMs: LONG_LEASE_MS, processId, onError: () => undefined });

test('a check of runs does not take back a job that its own process has just given back', async () => {
  const store = await testStore();
  const queue = queueOf(store);
  await accepted(store, alice);
  const job = await takeOne(queue);
  const leases = leasesOf('process');
  using _lease = leases.hold(queue, job, longAgo);
  await queue.requeue(job);
  await leases.confirm(job.token);
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 0 });
});

test('a check of runs takes back a job that a recovery has put back, unless its process has given it up', async () => {
  const store = await testStore();
  const queue = queueOf(store);
  await accepted(store, alice);
  const job = await takeOne(queue);
  const leases = leasesOf('process');
  using _lease = leases.hold(queue, job, longAgo);
  const lose = async (): Promise<void> => {
    await recoverNow(redis, queue.keys);
    await killRun(redis, queue.keys, job.token);
    await recoverNow(redis, queue.keys);
  };
  await lose();
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 0 });
  await leases.confirm(job.token);
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 0, active: 1 });
  await lose();
  await queue.requeue(job);
  await leases.confirm(job.token);
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 0 });
});

test('a process whose machine was suspended checks before an external effect that it still owns the turn', async () => {
  const store = await testStore({ leaseMs: LONG_LEASE_MS });
  const seen: string[] = [];
  const checked = Promise.withResolvers<void>();
  const consumer = store.turns.consume({
    agent: 'echo',
    concurrency: 1,
    onError: () => undefined,
    async run(job) {
      const hooks = { onCancel: () => undefined, onFenced: () => seen.push('fenced') };
      await store.turns.begin(job, 0, hooks);
      await redis.hset(`${store.settings.prefix}{s0}:t:${job.taskId}`, 'turn', '2.another');
      await store.turns.confirm(job);
      seen.push('confirmed by its lease');
      // The monotonic clock stood still, the wall clock went on.
      const [monotonicMs, wallMs] = [performance.now(), Date.now()];
      vi.spyOn(performance, 'now').mockReturnValue(monotonicMs);
      vi.spyOn(Date, 'now').mockReturnValue(wallMs + 2 * LONG_LEASE_MS);
      await store.turns.confirm(job);
      vi.restoreAllMocks();
      seen.push('confirmed by Redis');
      checked.resolve();
      return 'done';
    },
  });
  await consumer.start();
  await accepted(store, alice);
  await checked.promise;
  expect(seen).toEqual(['confirmed by its lease', 'fenced', 'confirmed by Redis']);
  await consumer.stop();
});

test('a take whose reply was lost gets the same jobs after an outage that is longer than two leases', async () => {
  const store = await testStore();
  const queue = queueOf(store);
  for (let n = 0; n < 3; n++) await accepted(store, alice);
  const leaseMs = 200;
  const lost = await take(queue, { count: 2, leaseMs });
  // Nobody reaches Redis meanwhile.
  await delay(3 * leaseMs);
  await recoverNow(redis, queue.keys, leaseMs);
  expect(await take(queue, { count: 2, leaseMs })).toMatchObject(
    lost.map(({ id, token }) => ({ id, token, started: 1 })),
  );
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 2 });
});

test('a job that Redis has for a process which does not know it runs nevertheless', async () => {
  const store = await testStore({ leaseMs: 300 });
  const queue = queueOf(store);
  const { taskId: unknown } = await accepted(store, alice);
  // As if the reply with the job had not arrived.
  await take(queue, { taker: `${store.processId}:lost` });
  const gate = Promise.withResolvers<void>();
  const runs: string[] = [];
  const consumer = store.turns.consume({
    agent: 'echo',
    concurrency: 2,
    onError: () => undefined,
    async run({ taskId }) {
      runs.push(taskId);
      if (taskId !== unknown) await gate.promise;
      return 'done';
    },
  });
  await consumer.start();
  await accepted(store, alice);
  await until(() => runs.includes(unknown), { what: 'the job runs' });
  gate.resolve();
  await consumer.stop();
});

test('the number of running jobs is exact after takes, ends, returns and recoveries', async () => {
  const store = await testStore();
  const queue = queueOf(store);
  for (let n = 0; n < 6; n++) await accepted(store, alice);
  const active = async (): Promise<number> => (await store.queue.counts('echo')).active;
  const jobs = await take(queue, { count: 5 });
  const [first, second, third] = jobs as [TakenJob, TakenJob, TakenJob];
  expect([jobs.length, await active()]).toEqual([5, 5]);
  await queue.finish(first);
  await queue.finish(first);
  await queue.requeue(second);
  await queue.requeue(third, 60_000);
  expect(await active()).toBe(2);
  await recoverNow(redis, queue.keys);
  for (const { token } of jobs.slice(3)) await killRun(redis, queue.keys, token);
  await recoverNow(redis, queue.keys);
  expect(await store.queue.counts('echo')).toEqual({ waiting: 4, active: 0, delayed: 1 });
});
