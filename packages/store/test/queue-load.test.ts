import { describe, expect, test } from 'vitest';
import type { AgentQueue } from '../src/queue/agent-queue.ts';
import { QueueLoads } from '../src/queue/load.ts';
import { accepted } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { queueOf } from './support/runs.ts';

const redis = testRedis();
const HOUR_MS = 3_600_000;

const loads = new QueueLoads(redis, { maxWaitMs: 1_000, maxWaiting: 0 });

let number = 0;
function take(queue: AgentQueue, kinds: 'any' | 'awaited' = 'any') {
  number += 9;
  return queue.take({ taker: 'taker', number, count: 9, kinds });
}

/** Makes a job look as if it had been added an hour ago. */
const age = (queue: AgentQueue, id: string) => redis.hset(`${queue.root}${id}`, 'timestamp', Date.now() - HOUR_MS);

const comeDue = (queue: AgentQueue, id: string) => redis.zadd(`${queue.root}delayed`, 4_096, id);

const suspect = (queue: AgentQueue, id: string) => redis.hset(`${queue.root}${id}`, 'priority', '3');

describe('the age of the oldest waiting job', () => {
  test('is that of a job that was added an hour ago', async () => {
    const store = await testStore();
    const queue = queueOf(store, redis);
    await age(queue, `${(await accepted(store, alice)).taskId}.1`);
    expect((await loads.sample(queue.root)).ageMs).toBeGreaterThanOrEqual(HOUR_MS);
  });

  test('ignores suspects, which wait until they can run alone in a process', async () => {
    const store = await testStore();
    const queue = queueOf(store, redis);
    const id = `${(await accepted(store, alice)).taskId}.1`;
    await age(queue, id);
    await redis.zadd(`${queue.root}prioritized`, 3 * 2 ** 32, id);
    await accepted(store, alice);
    const { waiting, ageMs } = await loads.sample(queue.root);
    expect(waiting).toBe(2);
    expect(ageMs).toBeLessThan(HOUR_MS / 2);
  });

  test.each(['delayed', 'handed back'])('starts from zero for a job that was %s', async (how) => {
    const store = await testStore();
    const queue = queueOf(store, redis);
    await accepted(store, alice);
    const [job] = (await take(queue)).jobs;
    if (!job) throw new Error('no job was taken');
    await age(queue, job.id);
    await job.end(how === 'delayed' ? { retryAfterMs: HOUR_MS } : 'requeue');
    if (how === 'delayed') {
      await comeDue(queue, job.id);
      await take(queue, 'awaited');
    }
    const { waiting, ageMs } = await loads.sample(queue.root);
    expect(waiting).toBe(1);
    expect(ageMs).toBeLessThan(HOUR_MS / 2);
  });
});

test('jobs that were removed while they waited are not counted as begun', async () => {
  const store = await testStore();
  for (let n = 0; n < 5; n++) {
    const { taskId } = await accepted(store, alice);
    await store.tasks.cancel(alice, taskId);
    await store.tasks.delete(alice, taskId);
  }
  await accepted(store, alice);
  expect(await loads.sample(queueOf(store, redis).root)).toMatchObject({ waiting: 1, began: 0 });
});

test('a job in the list `wait`, from a gateway of an earlier release, is counted as waiting', async () => {
  const store = await testStore();
  const queue = queueOf(store, redis);
  await redis.lpush(`${queue.root}wait`, 'old.1');
  await redis.incr(`${queue.root}id`);
  expect(await loads.sample(queue.root)).toMatchObject({ waiting: 1, began: 0 });
});

test('a delayed suspect is not taken together with other jobs', async () => {
  const store = await testStore();
  const queue = queueOf(store, redis);
  await accepted(store, alice);
  const [job] = (await take(queue)).jobs;
  if (!job) throw new Error('no job was taken');
  await suspect(queue, job.id);
  await job.end({ retryAfterMs: HOUR_MS });
  await comeDue(queue, job.id);
  const { taskId } = await accepted(store, alice);
  const { jobs, hasSuspects } = await take(queue);
  expect([jobs.map(({ id }) => id), hasSuspects]).toEqual([[`${taskId}.1`], true]);
});

test('jobs whose delays have ended come back in steps: no script handles thousands of them', async () => {
  const queue = queueOf(await testStore(), redis);
  const ids = Array.from({ length: 250 }, (_, n) => `task-${n}.1`);
  await Promise.all(
    ids.map((id) => redis.hset(`${queue.root}${id}`, { tenant: 'acme', priority: '4', timestamp: '1' })),
  );
  for (const id of ids) await comeDue(queue, id);
  const steps = [await take(queue), await take(queue), await take(queue)];
  expect(steps.map(({ jobs, waiting, dueInMs }) => [jobs.length, waiting, dueInMs])).toEqual([
    [9, 91, 0],
    [9, 182, 0],
    [9, 223, undefined],
  ]);
});
