import { beforeEach, describe, expect, test } from 'vitest';
import type { Scope, Store } from '../src/index.ts';
import { elsewhereId } from '../src/queue/queue-name.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();

type Content = string | string[] | Record<string, unknown>;

async function contentOf(key: string): Promise<Content> {
  const type = await redis.type(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'zset') return redis.zrange(key, '0', '-1', 'WITHSCORES');
  if (type === 'string') return (await redis.get(key)) ?? '';
  const { opts, timestamp, 'opts.maxLenEvents': _, ...fields } = await redis.hgetall(key);
  return {
    ...fields,
    ...(opts !== undefined && { opts: JSON.parse(opts) }),
    ...(timestamp !== undefined && { isOfNow: Math.abs(Number(timestamp) - Date.now()) < 10_000 }),
  };
}

const rootOf = (store: Store, queue: string): string => `${store.settings.prefix}{s0}:q:${queue}:`;

/** All keys of a queue by the ends of their names, but for its events, which nobody reads, and how many of them are kept. */
async function queueOf(store: Store, queue: string): Promise<Record<string, Content>> {
  const root = rootOf(store, queue);
  const keys = (await redis.keys(`${root}*`)).filter((key) => !key.endsWith(':events'));
  const contents = await Promise.all(keys.map(async (key) => [key.slice(root.length), await contentOf(key)] as const));
  return Object.fromEntries(contents.filter(([, content]) => Object.keys(content).length > 0));
}

// Should another version of BullMQ add jobs in another way, these tests say so.
describe('a message leaves in the queue what BullMQ leaves that adds the same job', () => {
  let ours: Store;
  let bulls: Store;
  beforeEach(async () => {
    [ours, bulls] = [await testStore(), await testStore()];
  });

  async function expectTheSame(queue = 'echo'): Promise<void> {
    const left = await queueOf(ours, queue);
    expect(Object.keys(left)).toContain('wait');
    expect(left).toEqual(await queueOf(bulls, queue));
  }

  async function meta(settings: Record<string, number>): Promise<void> {
    for (const store of [ours, bulls]) await redis.hset(`${rootOf(store, 'echo')}meta`, settings);
  }

  async function send(scope: Scope = alice): Promise<string> {
    const { taskId } = await accepted(ours, scope);
    await bulls.queue.add(scope.agent, taskId, 1);
    return taskId;
  }

  test('that make tasks', async () => {
    await send();
    await send();
    await expectTheSame();
  });

  test('that goes on with a task', async () => {
    const taskId = await send();
    const turn = await begun(ours, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    await accepted(ours, alice, userMessage('more', { taskId }));
    await bulls.queue.add('echo', taskId, 2);
    await expectTheSame();
  });

  test('whose answer a turn waits for: before those that nobody has begun', async () => {
    const turn = await begun(ours, await send());
    await send();
    const called = await ours.calls.place(turn, {
      agent: 'echo',
      submission: { message: userMessage('cook', { contextId: turn.start.task.contextId ?? '' }) },
      isDetached: false,
    });
    if (called.verdict !== 'accepted') throw new Error(called.verdict);
    await bulls.queue.add('echo', called.taskId, 1, { isAwaited: true });
    await expectTheSame();
    expect((await queueOf(ours, 'echo')).wait).toMatchObject({ 2: `${called.taskId}.1` });
  });

  test('that waited while a job ran its share of turns: another one takes over', async () => {
    const taskId = await send();
    const turn = await begun(ours, taskId, { turnsBefore: 7 });
    await accepted(ours, alice, userMessage('and now?', { taskId }));
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    expect(turn.ending).toBe('successor');
    await bulls.queue.add('echo', taskId, 2);
    await expectTheSame();
  });

  test('to an agent elsewhere', async () => {
    await send({ ...alice, agent: elsewhereId('https://agent.example/card.json') });
    await expectTheSame('@elsewhere');
  });

  test('of a queue that is paused: nobody is woken', async () => {
    await meta({ paused: 1 });
    await send();
    await expectTheSame();
    expect(await queueOf(ours, 'echo')).not.toHaveProperty('marker');
  });

  test('of a queue that runs as many jobs as it may: nobody is woken', async () => {
    await meta({ concurrency: 1 });
    for (const store of [ours, bulls]) await redis.lpush(`${rootOf(store, 'echo')}active`, 'another');
    await send();
    await expectTheSame();
    expect(await queueOf(ours, 'echo')).not.toHaveProperty('marker');
  });

  test('of a queue that may run one more', async () => {
    await meta({ concurrency: 2 });
    for (const store of [ours, bulls]) await redis.lpush(`${rootOf(store, 'echo')}active`, 'another');
    await send();
    await expectTheSame();
    expect(await queueOf(ours, 'echo')).toHaveProperty('marker');
  });
});

test('a message that is refused adds no job', async () => {
  const store = await testStore();
  const { taskId } = await accepted(store, alice);
  await store.tasks.cancel(alice, taskId);
  const before = await queueOf(store, 'echo');
  const refused = await store.tasks.accept(alice, { message: userMessage('late', { taskId }) });
  expect(refused.verdict).toBe('terminal');
  expect(await queueOf(store, 'echo')).toEqual(before);
});
