import { describe, expect, test } from 'vitest';
import type { AgentQueue } from '../src/queue/agent-queue.ts';
import type { RunningJob } from '../src/queue/running-job.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { holderKey, queueOf, recoverNow, runOf } from './support/runs.ts';

const redis = testRedis();

async function run(queue: AgentQueue, number: number, count: number): Promise<readonly RunningJob[]> {
  return (await queue.take({ taker: 'taker', number, count, kinds: 'any' })).jobs;
}

/** Takes jobs, and returns their ids. */
async function take(queue: AgentQueue, number: number, count: number): Promise<string[]> {
  return (await run(queue, number, count)).map(({ id }) => id);
}

/** Adds jobs as gateways did before there were shares of tenants. */
async function addAsOlderGateway(root: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await redis
      .multi()
      .hset(`${root}${id}`, { name: 'turn', data: '{}', opts: '{}', timestamp: Date.now(), delay: 0, priority: 0 })
      .lpush(`${root}wait`, id)
      .exec();
}

describe('jobs of a gateway of an earlier release, without shares of tenants,', () => {
  test('are taken in order when no other jobs wait', async () => {
    const queue = queueOf(await testStore(), redis);
    await addAsOlderGateway(queue.root, ['a', 'b', 'c']);
    expect([await take(queue, 1, 2), await take(queue, 3, 2)]).toEqual([['a', 'b'], ['c']]);
  });

  test('are taken in turn with other jobs after the next check of the queue', async () => {
    const store = await testStore();
    const queue = queueOf(store, redis);
    await accepted(store, alice);
    await take(queue, 100, 1);
    await addAsOlderGateway(queue.root, ['a', 'b', 'c']);
    for (let n = 0; n < 10; n++) await accepted(store, alice);
    await recoverNow(redis, queue.keys);
    expect(await take(queue, 1, 6)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test('come before all others when they are given back', async () => {
    const store = await testStore();
    const queue = queueOf(store, redis);
    await accepted(store, alice);
    await redis.hset(`${queue.root}old`, 'priority', '0');
    await redis.hset(holderKey(queue.keys, 'token'), 'token', `${queue.root}old`);
    await runOf(queue, 'old', 'token').end('requeue');
    expect(await take(queue, 1, 1)).toEqual(['old']);
  });
});

test('a tenant is stored while its jobs reach beyond the current round, and none if the queue is empty', async () => {
  const store = await testStore();
  const queue = queueOf(store, redis);
  const send = (tenant: string): Promise<unknown> =>
    accepted(store, { principal: { ...alice.principal, tenant }, agent: 'echo' });
  for (const tenant of ['acme', 'acme', 'acme', 'globex', 'initech']) await send(tenant);
  const tenants = (): Promise<string[]> => redis.zrange(`${queue.root}tenants`, '0', '-1');
  const first = await run(queue, 1, 4);
  await recoverNow(redis, queue.keys);
  expect(await tenants()).toEqual([' ', 'acme']);
  const last = await run(queue, 5, 4);
  await recoverNow(redis, queue.keys);
  expect(await tenants()).toEqual([' ']);
  for (const job of [...first, ...last]) await job.end('done');
  await recoverNow(redis, queue.keys);
  expect(await tenants()).toEqual([]);
});

test('shares has the number of waiting tenants of all shards, and those with the most waiting tasks', async () => {
  const store = await testStore({ shards: 2 });
  const send = (tenant: string): Promise<unknown> =>
    accepted(store, { principal: { ...alice.principal, tenant }, agent: 'echo' });
  await Promise.all(Array.from({ length: 30 }, () => send('acme & sons')));
  await Promise.all(Array.from({ length: 10 }, () => send('globex')));
  expect(await store.ops.agentQueues.shares('echo')).toEqual({
    count: 2,
    longest: [
      { tenant: 'acme & sons', waiting: 30 },
      { tenant: 'globex', waiting: 10 },
    ],
  });
  expect(await store.ops.agentQueues.shares('unknown')).toEqual({ count: 0, longest: [] });
});

test('awaited jobs are taken in order also after the counter of awaited jobs was deleted', async () => {
  const store = await testStore();
  const queue = queueOf(store, redis);
  const caller = await begun(store, (await accepted(store, { ...alice, agent: 'caller' })).taskId);
  await accepted(store, alice);
  const call = async (): Promise<string> => {
    const submission = { message: userMessage('cook', { contextId: caller.start.task.contextId ?? '' }) };
    const placed = await store.calls.place(caller, { agent: 'echo', submission, isDetached: false });
    return placed.verdict === 'accepted' ? `${placed.taskId}.1` : placed.verdict;
  };
  const calls = [await call(), await call()];
  expect(await take(queue, 1, 2)).toEqual(calls);
  await recoverNow(redis, queue.keys);
  expect(await redis.exists(`${queue.root}pc`)).toBe(0);
  expect([await call(), await call()].map((id) => [id])).toEqual([await take(queue, 3, 1), await take(queue, 4, 1)]);
});
