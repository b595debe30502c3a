import type { Priority } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import { ownerOf } from '../src/deployment/scope.ts';
import type { AgentQueue } from '../src/queue/agent-queue.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { queueOf, recoverNow } from './support/runs.ts';

const redis = testRedis();

async function world() {
  const store = await testStore();
  const queue = queueOf(store, redis);
  let taken = 0;
  const names = new Map<string, string>();
  const send = async (name: string, priority?: Priority, tenant = 'acme'): Promise<string> => {
    const scope = { ...alice, principal: { ...alice.principal, tenant } };
    const made = await store.tasks.accept(scope, { message: userMessage(name), priority });
    if (made.verdict !== 'accepted') throw new Error(made.verdict);
    names.set(made.taskId, name);
    return made.taskId;
  };
  const takeJobs = async (count: number): Promise<Awaited<ReturnType<AgentQueue['take']>>['jobs']> => {
    const { jobs } = await queue.take({ taker: 'taker', number: taken, count, kinds: 'any' });
    taken += count;
    return jobs;
  };
  const take = async (count: number): Promise<(string | undefined)[]> =>
    (await takeJobs(count)).map(({ id }) => names.get(id.split('.')[0] ?? ''));
  return { store, queue, send, take, takeJobs };
}

describe('messages with a priority', () => {
  test('wait by their priority, and of each one tenants take turns', async () => {
    const { send, take } = await world();
    for (const n of [1, 2]) await send(`low ${n}`, 'low');
    await send('normal 1', 'normal');
    await send('normal 2');
    for (const n of [1, 2]) await send(`high ${n}`, 'high');
    await send('high of globex', 'high', 'globex');
    const names = await take(9);
    expect(new Set(names.slice(0, 2))).toEqual(new Set(['high 1', 'high of globex']));
    expect(names.slice(2)).toEqual(['high 2', 'normal 1', 'normal 2', 'low 1', 'low 2']);
  });

  test('leave one turn of ten to a lower priority, in turn to normal and low ones', async () => {
    const { send, take } = await world();
    for (let n = 0; n < 40; n++) await send('high', 'high');
    for (const priority of ['normal', 'low'] as const) for (let n = 0; n < 3; n++) await send(priority, priority);
    const order: unknown[] = [];
    for (let n = 0; n < 30; n++) order.push(...(await take(1)));
    expect(order.flatMap((name, at) => (name === 'high' ? [] : [`${at + 1} ${name}`]))).toEqual([
      '10 normal',
      '20 low',
      '30 normal',
    ]);
    expect(new Set(await take(16))).toEqual(new Set(['high', 'low', 'normal']));
    await expect(take(9)).resolves.toHaveLength(0);
  });

  test('keep it when their job is given back, delayed, lost, or has a successor', async () => {
    const { store, queue, send, take, takeJobs } = await world();
    const taskId = await send('high', 'high');
    await send('normal');
    const [job] = await takeJobs(1);
    await job?.end('requeue');
    expect(await take(1)).toEqual(['high']);
    await redis.del(`${queue.root}${taskId}.1`);
    await store.queue.add(ownerOf(alice), { taskId, job: 1, level: 'high' });
    const [again] = await takeJobs(1);
    expect(again?.id).toBe(`${taskId}.1`);
    await again?.end({ retryAfterMs: 0 });
    expect(await take(2)).toEqual(['high', 'normal']);
  });

  test('give it to later messages of their task, until one names another', async () => {
    const { store, send, take } = await world();
    const taskId = await send('high', 'high');
    const ask = async () => {
      const turn = await begun(store, taskId);
      await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    };
    await ask();
    await send('normal');
    await accepted(store, alice, userMessage('more', { taskId }));
    expect(await take(1)).toEqual(['high']);
    const low = await store.tasks.accept(alice, { message: userMessage('later', { taskId }), priority: 'low' });
    expect(low.verdict).toBe('accepted');
    expect(await redis.hget(`${store.settings.prefix}{s0}:t:${taskId}`, 'level')).toBe('low');
  });

  test('store nothing any more when their queue is empty', async () => {
    const { queue, send, takeJobs } = await world();
    await send('high', 'high');
    await send('low', 'low');
    for (const job of await takeJobs(2)) await job.end('done');
    await recoverNow(redis, queue.keys);
    expect((await redis.keys(`${queue.root}*`)).filter((key) => key.includes(':tenants'))).toEqual([]);
    expect(await redis.hgetall(`${queue.root}meta`)).toEqual({});
  });
});
