import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { patience, until } from '../../../tests/support/until.ts';
import { Shards } from '../src/deployment/shards.ts';
import type { Consumer, JobOutcome, Store, TurnJob } from '../src/index.ts';
import { accepted } from './support/drive.ts';
import { alice, type TestStore, testRedis, testStore } from './support/redis.ts';
import { holderKey, isRunning } from './support/runs.ts';

const redis = testRedis();
const leaseMs = 300;
/** The score of a job that is handed back: before all jobs that have not begun. */
const FRONT = 4 * 2 ** 32;
const completed = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true } as const;
const ignore = { onCancel: (): void => undefined, onFenced: (): void => undefined };

afterEach(() => {
  vi.restoreAllMocks();
});

function consume(store: Store, run: (job: TurnJob) => Promise<JobOutcome>, concurrency = 10): Consumer<TurnJob> {
  return store.turns.consume({ queue: 'echo', concurrency, run, onError: () => undefined });
}

test('an outage of Redis that is longer than a lease spends no attempt, and starts no turn again', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const redisUrl = server.url;
  const stores = [
    await testStore({ redisUrl, leaseMs, prefix: 'o' }),
    await testStore({ redisUrl, leaseMs, prefix: 'o' }),
  ];
  const [store] = stores as [TestStore, TestStore];
  const gate = Promise.withResolvers<void>();
  const attempts: number[] = [];
  let lost = 0;
  const consumers = stores.map((each) =>
    consume(each, async (job) => {
      const onFenced = (): void => void lost++;
      const turn = await job.begin({ ...ignore, onFenced });
      if (typeof turn === 'string') return 'done';
      attempts.push(turn.start.attempt);
      await gate.promise;
      await turn.publish(completed);
      return 'removed';
    }),
  );
  await Promise.all(consumers.map((consumer) => consumer.start()));
  const tasks = await Promise.all(Array.from({ length: 16 }, () => accepted(store, alice)));
  await until(() => attempts.length === 16, { what: 'all turns run' });
  const control = testRedis(redisUrl);
  for (let round = 0; round < 7; round++) {
    await control.client('PAUSE', 2 * leaseMs, 'ALL');
    // Long enough for a lost job to be taken again.
    await delay(3 * leaseMs + 100);
  }
  control.disconnect();
  gate.resolve();
  const states = () => Promise.all(tasks.map(async ({ taskId }) => (await store.tasks.read(alice, taskId))?.state));
  await until(async () => (await states()).every((state) => state === 'TASK_STATE_COMPLETED'), {
    what: 'all tasks are completed',
  });
  expect({ attempts, lost }).toEqual({ attempts: Array.from({ length: 16 }, () => 1), lost: 0 });
  await Promise.all(consumers.map((consumer) => consumer.stop()));
});

test('a process that takes its own job again keeps the new lease when the old run ends', async () => {
  const store = await testStore({ leaseMs });
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  const keys = new Shards(store.settings.prefix, 1).of('');
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const tokens: string[] = [];
  const attempts: number[] = [];
  const fenced: number[] = [];
  const canceled: number[] = [];
  const consumer = consume(store, async (job) => {
    const run = tokens.push(job.token);
    const turn = await job.begin({
      onCancel: () => void canceled.push(run),
      onFenced: () => void fenced.push(run),
    });
    if (typeof turn === 'string') return 'done';
    attempts.push(turn.start.attempt);
    await gates[run - 1]?.promise;
    if (run === 2) await turn.publish({ ...completed, state: 'TASK_STATE_CANCELED' });
    job.forgetTurn();
    return 'done';
  });
  await consumer.start();
  const { taskId } = await accepted(store, alice);
  await until(() => attempts.length === 1, { what: 'the turn runs' });
  // As if another process had found the job without a lease, after an outage.
  const id = `${taskId}.1`;
  const token = tokens[0] ?? '';
  const lost = redis
    .multi()
    .hdel(holderKey(keys, token), token)
    .hincrby(keys.runningByQueue, root, -1)
    .hdel(`${root}${id}`, 'token')
    .zadd(`${root}prioritized`, FRONT, id);
  await lost.zadd(`${root}marker`, 0, '0').exec();
  await until(() => attempts.length === 2, { what: 'the turn runs again' });
  await until(() => fenced.length > 0, { what: 'the first run is fenced' });
  gates[0]?.resolve();
  await until(() => consumer.running === 1, { what: 'the first run has ended' });
  // Long enough for a lease that is not renewed to run out and be found.
  await delay(3 * leaseMs);
  expect(await isRunning(redis, keys, tokens[1] ?? '')).toBe(true);
  await store.tasks.cancel(alice, taskId);
  await until(() => canceled.length > 0, { what: 'the second run is notified of the cancel' });
  gates[1]?.resolve();
  const state = async () => (await store.tasks.read(alice, taskId))?.state;
  await until(async () => (await state()) === 'TASK_STATE_CANCELED', { what: 'the task is canceled' });
  expect({ attempts, fenced, starts: tokens.length }).toEqual({ attempts: [1, 1], fenced: [1], starts: 2 });
  expect(new Set(canceled)).toEqual(new Set([2]));
  await consumer.stop();
});

test('a process that was frozen checks before it begins that it still owns the turn', async () => {
  const store = await testStore({ leaseMs });
  const { prefix } = store.settings;
  const seen: string[] = [];
  const consumer = consume(store, async (job) => {
    if (seen.length > 0) return 'done';
    // As if the process were frozen while another one takes the turn over.
    const task = `${prefix}{s0}:t:${job.taskId}`;
    execFileSync('redis-cli', ['-u', inject('redisUrl'), 'HSET', task, 'turn', '2.another']);
    execFileSync('sleep', [String((leaseMs * 1.5) / 1_000)]);
    const hooks = { onCancel: () => seen.push('canceled'), onFenced: () => seen.push('fenced') };
    await job.begin(hooks);
    await job.confirm();
    seen.push('confirmed');
    return 'done';
  });
  await consumer.start();
  await accepted(store, alice);
  await until(() => seen.includes('confirmed'), { what: 'the process has checked' });
  expect(seen.slice(0, 2)).toEqual(['fenced', 'confirmed']);
  await consumer.stop();
});

test.each([30_000, -30_000])('delays and leases are right if the worker’s clock is off by %d ms', async (offMs) => {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + offMs);
  const store = await testStore({ leaseMs });
  const starts: number[] = [];
  const consumer = consume(store, async ({ started }) => {
    starts.push(performance.now());
    // Longer than a lease.
    if (started === 2) await delay(2 * leaseMs);
    return started === 1 ? { retryAfterMs: 500 } : 'done';
  });
  await consumer.start();
  await accepted(store, alice);
  await until(() => starts.length === 2, { what: 'the delayed job runs' });
  const [first = 0, second = 0] = starts;
  expect(second - first).toBeGreaterThan(450);
  expect(second - first).toBeLessThan(1_500 * patience);
  await until(() => consumer.running === 0, { what: 'the job has ended' });
  expect(starts).toHaveLength(2);
  await consumer.stop();
});

test('when the clock of Redis is set back, jobs of a killed process and delayed jobs run in time', async () => {
  const store = await testStore({ leaseMs });
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  const hourMs = 3_600_000;
  let runs = 0;
  const consumer = consume(store, async () => {
    runs++;
    return 'done';
  });
  await accepted(store, alice);
  await accepted(store, alice);
  // As after the clock went back an hour: one job is run by a killed process, one is due after a second.
  const [locked = '', , delayed = ''] = await redis.zpopmin(`${root}prioritized`, 2);
  const { running, runningByQueue } = new Shards(store.settings.prefix, 1).of('');
  await redis.hset(`${running}:gone`, 'gone:1', root + locked);
  await redis.zadd(running, Date.now() + hourMs + leaseMs, 'gone');
  await redis.hset(runningByQueue, root, 1);
  await redis.zadd(`${root}delayed`, (Date.now() + hourMs + 1_000) * 4_096, delayed);
  await redis.set(`${store.settings.prefix}{s0}:checked`, '', 'PX', hourMs + 2 * leaseMs);
  await consumer.start();
  await until(() => runs === 2, { what: 'both jobs run' });
  await consumer.stop();
});
