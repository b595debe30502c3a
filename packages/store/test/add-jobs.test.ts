import { beforeEach, describe, expect, test } from 'vitest';
import type { Scope, Store } from '../src/index.ts';
import { queueOf as queueOfAgent } from '../src/queue/job.ts';
import { remoteAgentId } from '../src/queue/remote-agents.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { asBullMQ, bullmqAdds, queueContents } from './support/queue-contents.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();

const rootOf = (store: Store, queue: string): string => `${store.settings.prefix}{s0}:q:${queue}:`;

const queueOf = (store: Store, queue: string): ReturnType<typeof queueContents> =>
  queueContents(redis, rootOf(store, queue));

// Should another version of BullMQ add jobs in another way, these tests say so.
describe('a message leaves in the queue what BullMQ leaves that adds the same job', () => {
  let ours: Store;
  let bulls: Store;
  beforeEach(async () => {
    [ours, bulls] = [await testStore(), await testStore()];
  });

  async function expectTheSame(queue = 'echo'): Promise<void> {
    const left = await queueOf(ours, queue);
    expect(Object.keys(left)).toContain('prioritized');
    expect(asBullMQ(left)).toEqual(asBullMQ(await queueOf(bulls, queue)));
  }

  const bullsAdd = (queue: string, id: string, priority?: number): Promise<void> =>
    bullmqAdds(redis, rootOf(bulls, queue), id, priority);

  async function send(scope: Scope = alice): Promise<string> {
    const { taskId } = await accepted(ours, scope);
    await bullsAdd(queueOfAgent(scope.agent), `${taskId}.1`);
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
    await bullsAdd('echo', `${taskId}.2`);
    await expectTheSame();
  });

  test('whose answer a turn waits for: before jobs that have not begun', async () => {
    const turn = await begun(ours, await send());
    await send();
    const called = await ours.calls.place(turn, {
      agent: 'echo',
      submission: { message: userMessage('cook', { contextId: turn.start.task.contextId ?? '' }) },
      isDetached: false,
    });
    if (called.verdict !== 'accepted') throw new Error(called.verdict);
    await bullsAdd('echo', `${called.taskId}.1`, 1);
    await expectTheSame();
    const { waiting } = asBullMQ(await queueOf(ours, 'echo'));
    expect(waiting).toMatchObject({ 0: `${called.taskId}.1`, 1: '1', 3: '4', 5: '4' });
  });

  test('that waited while a job ran its share of turns: another one takes over', async () => {
    const taskId = await send();
    const turn = await begun(ours, taskId, { turnsBefore: 7 });
    await accepted(ours, alice, userMessage('and now?', { taskId }));
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    expect(turn.ending).toBe('successor');
    await bullsAdd('echo', `${taskId}.2`);
    await expectTheSame();
  });

  test('to a remote agent', async () => {
    await send({ ...alice, agent: remoteAgentId('https://agent.example/card.json') });
    await expectTheSame('@remote');
  });

  test.each([
    { of: 'is paused', settings: { paused: 1 }, wakes: false },
    { of: 'goes on', settings: { version: 'any' }, wakes: true },
  ])('of a queue that $of: wakes somebody: $wakes', async ({ settings, wakes }) => {
    for (const store of [ours, bulls]) {
      const root = rootOf(store, 'echo');
      await redis.hset(`${root}meta`, settings);
      await redis.lpush(`${root}active`, 'another');
    }
    await send();
    await expectTheSame();
    expect('marker' in (await queueOf(ours, 'echo'))).toBe(wakes);
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
