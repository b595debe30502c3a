import { setTimeout as delay } from 'node:timers/promises';
import type { JobOutcome, TurnJob } from '@switchyard/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isThorough } from '../../../tests/support/thorough.ts';
import { until } from '../../../tests/support/until.ts';
import { accepted } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const hooks = { onCancel: (): void => undefined, onFenced: (): void => undefined };
const rounds = isThorough ? 2_000 : 400;
const completed = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true } as const;

test('a delayed job runs again in time, although others end shortly after it was delayed', async () => {
  const store = await testStore();
  let [first, done] = [0, 0];
  let notifyDelayed = (): void => undefined;
  let delayed = Promise.resolve();
  const run = async ({ started }: TurnJob): Promise<JobOutcome> => {
    if (started === 1 && ++first % 3 === 0) {
      notifyDelayed();
      return { retryAfterMs: 20 };
    }
    if (started === 1) await delayed;
    done++;
    return 'done';
  };
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  for (let round = 1; round <= 40; round++) {
    const isDelayed = new Promise<void>((resolve) => {
      notifyDelayed = resolve;
    });
    delayed = isDelayed.then(() => delay(round % 4));
    await Promise.all([1, 2, 3].map(() => accepted(store, alice)));
    await until(() => done === 3 * round, { what: `the jobs of round ${round} are done` });
  }
  await consumer.stop();
});

test('a job whose wake-up was lost is found, whether it is new or delayed', async () => {
  const store = await testStore();
  const marker = `${store.settings.prefix}{s0}:q:echo:marker`;
  let starts = 0;
  const run = async (): Promise<JobOutcome> => (++starts === 1 ? { retryAfterMs: 700 } : 'done');
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  await delay(50); // by now the consumer waits
  // As if another process had crashed after it received the wake-up.
  const [message] = await Promise.all([accepted(store, alice), redis.del(marker)]);
  expect(message.verdict).toBe('accepted');
  for (const start of [1, 2]) {
    await until(() => starts === start, { what: `start ${start}`, timeoutMs: 2_500 });
    await redis.del(marker);
  }
  await consumer.stop();
});

test('a consumer takes as many jobs as it has slots; when paused it runs only those that it has taken', async () => {
  const store = await testStore();
  for (let n = 0; n < 30; n++) await accepted(store, alice);
  let [running, most, runs] = [0, 0, 0];
  let paused = Promise.resolve();
  const run = async (): Promise<JobOutcome> => {
    most = Math.max(most, ++running);
    if (++runs === 1) paused = consumer.pause();
    await delay(20);
    running--;
    return 'done';
  };
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  await until(() => runs > 1, { what: 'the jobs that were taken with the first one begin' });
  await paused;
  await until(async () => (await store.queue.counts('echo')).active === 0, { what: 'all taken jobs are done' });
  expect([runs, most, await redis.zcard(`${root}prioritized`)]).toEqual([10, 10, 20]);
  await consumer.resume();
  await until(() => runs === 30, { what: 'the other jobs run' });
  expect(most).toBe(10);
  await consumer.stop();
});

test('a consumer that is paused while it waits for jobs keeps no job that it does not run', async () => {
  const store = await testStore();
  let runs = 0;
  const run = async (): Promise<JobOutcome> => {
    runs++;
    return 'requeue';
  };
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  await delay(100); // by now the consumer waits for a marker
  await consumer.pause();
  await Promise.all(Array.from({ length: 10 }, () => accepted(store, alice)));
  await delay(300);
  expect(await store.queue.counts('echo')).toMatchObject({ waiting: 10, active: 0 });
  expect(runs).toBeLessThanOrEqual(1);
  await consumer.stop();
});

test('messages sent one after the other beside a running turn are each taken, and none only because its lost wake-up is found', async () => {
  const store = await testStore();
  // The check once a second, which finds jobs whose wake-up was lost.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const gate = Promise.withResolvers<void>();
  let [taken, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [runs, takes] = [0, 0];
  const run = async (job: TurnJob): Promise<JobOutcome> => {
    if (++runs === 1) await gate.promise;
    const [own, turn] = [ended, await job.begin(hooks)];
    takes++;
    taken.resolve();
    if (typeof turn !== 'string') await turn.publish(completed);
    own.resolve();
    return 'removed';
  };
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  await accepted(store, alice);
  await until(() => runs === 1, { what: 'a turn runs' });
  for (let n = 0; n < rounds; n++) {
    [taken, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await accepted(store, alice);
    await Promise.race([taken.promise, until(() => takes > n, { what: `message ${n} is taken` })]);
    // Every second message is sent while the turn before it still ends.
    if (n % 2) await ended.promise;
  }
  gate.resolve();
  await consumer.stop();
});

test('the concurrency of an agent is for all shards together', async () => {
  const store = await testStore({ shards: 16 });
  let [running, most, runs] = [0, 0, 0];
  const run = async (): Promise<JobOutcome> => {
    most = Math.max(most, ++running);
    await delay(2);
    running--;
    runs++;
    return 'done';
  };
  await Promise.all(Array.from({ length: 60 }, () => accepted(store, alice)));
  const consumer = store.turns.consume({ queue: 'echo', concurrency: 2, run, onError: () => undefined });
  await consumer.start();
  await until(() => runs === 60, { what: 'all jobs have run', timeoutMs: 20_000 });
  await consumer.stop();
  expect(most).toBe(2);
});
