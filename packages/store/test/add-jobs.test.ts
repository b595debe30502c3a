import { beforeEach, describe, expect, test } from 'vitest';
import type { Scope, Store } from '../src/index.ts';
import { queueName, remoteAgentId } from '../src/queue/queue-names.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { addWithBullMQ, asBullMQ, queueContents } from './support/queue-contents.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();

const rootOf = (store: Store, queue: string): string => `${store.settings.prefix}{s0}:q:${queue}:`;

const queueOf = (store: Store, queue: string): ReturnType<typeof queueContents> =>
  queueContents(redis, rootOf(store, queue));

// If another version of BullMQ adds jobs in another way, these tests fail.
describe('a message changes the queue exactly as BullMQ does when it adds the same job:', () => {
  let ours: Store;
  let theirs: Store;
  beforeEach(async () => {
    [ours, theirs] = [await testStore(), await testStore()];
  });

  async function expectEqualQueues(queue = 'echo'): Promise<void> {
    const contents = await queueOf(ours, queue);
    expect(Object.keys(contents)).toContain('prioritized');
    expect(asBullMQ(contents)).toEqual(asBullMQ(await queueOf(theirs, queue)));
  }

  const addByBullMQ = (queue: string, id: string, priority?: number): Promise<void> =>
    addWithBullMQ(redis, rootOf(theirs, queue), id, priority);

  async function send(scope: Scope = alice): Promise<string> {
    const { taskId } = await accepted(ours, scope);
    await addByBullMQ(queueName(scope.agent), `${taskId}.1`);
    return taskId;
  }

  test('messages that create tasks', async () => {
    await send();
    await send();
    await expectEqualQueues();
  });

  test('a message that continues a task', async () => {
    const taskId = await send();
    const turn = await begun(ours, taskId);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    await accepted(ours, alice, userMessage('more', { taskId }));
    await addByBullMQ('echo', `${taskId}.2`);
    await expectEqualQueues();
  });

  test('an awaited call, which comes before the jobs that have not begun', async () => {
    const turn = await begun(ours, await send());
    await send();
    const called = await ours.calls.place(turn, {
      agent: 'echo',
      submission: { message: userMessage('cook', { contextId: turn.start.task.contextId ?? '' }) },
      isDetached: false,
    });
    if (called.verdict !== 'accepted') throw new Error(called.verdict);
    await addByBullMQ('echo', `${called.taskId}.1`, 1);
    await expectEqualQueues();
    const { waiting } = asBullMQ(await queueOf(ours, 'echo'));
    expect(waiting).toMatchObject({ 0: `${called.taskId}.1`, 1: '1', 3: '4', 5: '4' });
  });

  test('a message that waited while a job ran its eight turns, which adds a successor job', async () => {
    const taskId = await send();
    const turn = await begun(ours, taskId, { turnsBefore: 7 });
    await accepted(ours, alice, userMessage('and now?', { taskId }));
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    expect(turn.ending).toBe('successor');
    await addByBullMQ('echo', `${taskId}.2`);
    await expectEqualQueues();
  });

  test('a message to a remote agent', async () => {
    await send({ ...alice, agent: remoteAgentId('https://agent.example/card.json') });
    await expectEqualQueues('@remote');
  });

  test.each([
    { of: 'paused', settings: { paused: 1 }, wakes: false },
    { of: 'running', settings: { version: 'any' }, wakes: true },
  ])('a message to a $of queue (wakes a worker: $wakes)', async ({ settings, wakes }) => {
    for (const store of [ours, theirs]) {
      const root = rootOf(store, 'echo');
      await redis.hset(`${root}meta`, settings);
      await redis.lpush(`${root}active`, 'another');
    }
    await send();
    await expectEqualQueues();
    expect('marker' in (await queueOf(ours, 'echo'))).toBe(wakes);
  });
});

test('a refused message adds no job', async () => {
  const store = await testStore();
  const { taskId } = await accepted(store, alice);
  await store.tasks.cancel(alice, taskId);
  const before = await queueOf(store, 'echo');
  const refused = await store.tasks.accept(alice, { message: userMessage('late', { taskId }) });
  expect(refused.verdict).toBe('terminal');
  expect(await queueOf(store, 'echo')).toEqual(before);
});
