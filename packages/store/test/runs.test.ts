import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { JobOutcome, Store, TurnJob } from '../src/index.ts';
import type { RunningJob } from '../src/queue/running-job.ts';
import { accepted } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { killRun, LONG_LEASE_MS, longAgo, queueOf, recoverNow } from './support/runs.ts';

const redis = testRedis();

afterEach(() => {
  vi.restoreAllMocks();
});

/** Takes jobs, as long as `leaseMs` lasts. */
async function take(store: Store, { taker = 'process', count = 1, leaseMs = LONG_LEASE_MS } = {}) {
  const { jobs } = await queueOf(store, redis, { leaseMs }).take({ taker, number: 0, count, kinds: 'any' });
  return jobs;
}

async function takeOne(store: Store): Promise<RunningJob> {
  const [job] = await take(store);
  if (!job) throw new Error('no job waits');
  job.confirmed(longAgo);
  return job;
}

test('a check of runs does not take back a job that its own process has just given back', async () => {
  const store = await testStore();
  await accepted(store, alice);
  const job = await takeOne(store);
  await job.end('requeue');
  await job.confirm();
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 0 });
});

test('a check of runs takes back a job that a recovery has put back, unless its process has given it up', async () => {
  const store = await testStore();
  const { keys } = queueOf(store, redis);
  await accepted(store, alice);
  const job = await takeOne(store);
  const lose = async (): Promise<void> => {
    await recoverNow(redis, keys);
    await killRun(redis, keys, job.token);
    await recoverNow(redis, keys);
  };
  await lose();
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 0 });
  await job.confirm();
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 0, active: 1 });
  await lose();
  await job.end('requeue');
  await job.confirm();
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 0 });
});

test('a process whose machine was suspended checks before an external effect that it still owns the turn', async () => {
  const store = await testStore({ leaseMs: LONG_LEASE_MS });
  const seen: string[] = [];
  const checked = Promise.withResolvers<void>();
  const consumer = store.turns.consume({
    queue: 'echo',
    concurrency: 1,
    onError: () => undefined,
    async run(job) {
      const hooks = { onCancel: () => undefined, onFenced: () => seen.push('fenced') };
      await job.begin(hooks);
      await redis.hset(`${store.settings.prefix}{s0}:t:${job.taskId}`, 'turn', '2.another');
      await job.confirm();
      seen.push('confirmed by its lease');
      // The monotonic clock stood still, the wall clock went on.
      const [monotonicMs, wallMs] = [performance.now(), Date.now()];
      vi.spyOn(performance, 'now').mockReturnValue(monotonicMs);
      vi.spyOn(Date, 'now').mockReturnValue(wallMs + 2 * LONG_LEASE_MS);
      await job.confirm();
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
  for (let n = 0; n < 3; n++) await accepted(store, alice);
  const leaseMs = 200;
  const lost = await take(store, { count: 2, leaseMs });
  // Nobody reaches Redis meanwhile.
  await delay(3 * leaseMs);
  await recoverNow(redis, queueOf(store, redis).keys, leaseMs);
  expect(await take(store, { count: 2, leaseMs })).toMatchObject(
    lost.map(({ id, token }) => ({ id, token, started: 1 })),
  );
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 1, active: 2 });
});

describe('a job that Redis has for a process which does not know it runs', () => {
  const hooks = { onCancel: () => undefined, onFenced: () => undefined };
  it.each<[string, (job: TurnJob) => Promise<JobOutcome>]>([
    ['nevertheless', async () => 'done'],
    [
      'also beside an agent that goes on after its outcome',
      async (job) => {
        const turn = await job.begin(hooks);
        if (typeof turn === 'string') return 'done';
        await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
        return 'removed';
      },
    ],
  ])('%s', async (_, work) => {
    const store = await testStore({ leaseMs: 300 });
    const { taskId: unknown } = await accepted(store, alice);
    // As if the reply with the job had not arrived.
    await take(store, { taker: `${store.processId}:lost` });
    const gate = Promise.withResolvers<void>();
    const runs: string[] = [];
    const consumer = store.turns.consume({
      queue: 'echo',
      concurrency: 2,
      onError: () => undefined,
      async run(job) {
        runs.push(job.taskId);
        const outcome = await work(job);
        if (job.taskId !== unknown) await gate.promise;
        return outcome;
      },
    });
    await consumer.start();
    await accepted(store, alice);
    await until(() => runs.includes(unknown), { what: 'the job runs' });
    gate.resolve();
    await consumer.stop();
  });
});

test('the number of running jobs is exact after takes, ends, returns and recoveries', async () => {
  const store = await testStore();
  const { keys } = queueOf(store, redis);
  for (let n = 0; n < 6; n++) await accepted(store, alice);
  const active = async (): Promise<number> => (await store.queue.counts('echo')).active;
  const jobs = await take(store, { count: 5 });
  const [first, second, third] = jobs as [RunningJob, RunningJob, RunningJob];
  expect([jobs.length, await active()]).toEqual([5, 5]);
  await first.end('done');
  await first.end('done');
  await second.end('requeue');
  await third.end({ retryAfterMs: 60_000 });
  expect(await active()).toBe(2);
  await recoverNow(redis, keys);
  for (const { token } of jobs.slice(3)) await killRun(redis, keys, token);
  await recoverNow(redis, keys);
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 4, active: 0, delayed: 1 });
});
