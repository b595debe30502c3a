import { setTimeout as delay } from 'node:timers/promises';
import type { JobOutcome, TurnJob } from '@switchyard/store';
import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { accepted } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();

test('BullMQ keeps few of its own events, which nobody reads', async () => {
  const store = await testStore();
  let done = 0;
  const run = async (): Promise<'done'> => {
    done++;
    return 'done';
  };
  const consumer = store.turns.consume({ agent: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  for (let n = 0; n < 150; n++) await accepted(store, alice);
  await until(() => done === 150, { what: 'all jobs done' });
  await consumer.stop();
  expect(await redis.xlen(`${store.settings.prefix}{s0}:q:echo:events`)).toBeLessThan(250);
});

test('a job that comes back is awaited, however closely others end after it went', async () => {
  const store = await testStore();
  let [place, done] = [0, 0];
  let goes = (): void => undefined;
  let gone = Promise.resolve();
  const run = async ({ started }: TurnJob): Promise<JobOutcome> => {
    if (started === 1 && ++place % 3 === 0) {
      goes();
      return { retryAfterMs: 20 };
    }
    if (started === 1) await gone;
    done++;
    return 'done';
  };
  const consumer = store.turns.consume({ agent: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  for (let round = 1; round <= 40; round++) {
    const went = new Promise<void>((resolve) => {
      goes = resolve;
    });
    gone = went.then(() => delay(round % 4));
    await Promise.all([1, 2, 3].map(() => accepted(store, alice)));
    await until(() => done === 3 * round, { what: `the job of round ${round} is back` });
  }
  await consumer.stop();
});

test('a worker is woken for a job that is back, when nobody else knows of it any more', async () => {
  const store = await testStore();
  let starts = 0;
  const run = async (): Promise<JobOutcome> => (++starts === 1 ? { retryAfterMs: 100 } : 'done');
  const consumer = store.turns.consume({ agent: 'echo', concurrency: 10, run, onError: () => undefined });
  await accepted(store, alice);
  await consumer.start();
  await until(() => starts === 1, { what: 'its first start' });
  await consumer.stop();
  await delay(150);
  // As a worker leaves it that took the marker, and died before the job was due.
  await redis.del(`${store.settings.prefix}{s0}:q:echo:marker`);
  expect(await store.queue.wake('echo')).toBe(1);
  expect(await redis.zscore(`${store.settings.prefix}{s0}:q:echo:marker`, '0')).toBe('0');
});

test('jobs are taken together, never more than there are places; one that pauses runs those that it has, and leaves the others', async () => {
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
  const consumer = store.turns.consume({ agent: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  await until(() => runs > 1, { what: 'those that were taken with the first one' });
  await paused;
  await until(async () => !(await redis.exists(`${root}active`)), { what: 'all that were taken are done' });
  expect([runs, most, await redis.llen(`${root}wait`)]).toEqual([10, 10, 20]);
  await consumer.resume();
  await until(() => runs === 30, { what: 'the others' });
  expect(most).toBe(10);
  await consumer.stop();
});

test('one that is paused while it waits keeps no job that it does not run', async () => {
  const store = await testStore();
  const root = `${store.settings.prefix}{s0}:q:echo:`;
  let runs = 0;
  const run = async (): Promise<JobOutcome> => {
    runs++;
    return 'hand-back';
  };
  const consumer = store.turns.consume({ agent: 'echo', concurrency: 10, run, onError: () => undefined });
  await consumer.start();
  await delay(100); // by now it waits for a marker
  await consumer.pause();
  await Promise.all(Array.from({ length: 10 }, () => accepted(store, alice)));
  await delay(300);
  expect([await redis.llen(`${root}wait`), await redis.llen(`${root}active`)]).toEqual([10, 0]);
  expect(runs).toBeLessThanOrEqual(1);
  await consumer.stop();
});
