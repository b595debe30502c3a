import type { TurnEvent } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import type { Store } from '../src/index.ts';
import { NotReplicated } from '../src/redis/errors.ts';
import { agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const store = await testStore();
const redis = testRedis();
const replied: TurnEvent = {
  kind: 'status',
  state: 'TASK_STATE_COMPLETED',
  settles: true,
  isPlainMessage: true,
  message: agentMessage('42'),
};

async function hidden(own: Store = store): Promise<{ taskId: string; contextId: string }> {
  const acceptance = await own.tasks.accept(alice, { message: userMessage(), isHidden: true });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance;
}

test('what its agent has called for, detached, outlives its answer with a message', async () => {
  const { taskId, contextId } = await hidden();
  const turn = await begun(store, taskId);
  const place = async (isDetached: boolean): Promise<string> => {
    const submission = { message: userMessage('cook', { contextId }) };
    const placement = await store.calls.place(turn, { agent: 'kitchen', submission, isDetached });
    if (placement.verdict !== 'accepted') throw new Error(placement.verdict);
    return placement.taskId;
  };
  const called = [await place(true), await place(false)];
  await turn.publish(replied);
  expect((await store.tasks.read(alice, taskId))?.isWithdrawn).toBe(true);
  await store.orphans.end();
  const readings = await Promise.all(called.map((id) => store.tasks.read({ ...alice, agent: 'kitchen' }, id)));
  expect(readings.map((reading) => reading?.state)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_CANCELED']);
});

test('is seen as soon as it is shown, also by who has read it before', async () => {
  const { taskId } = await hidden();
  expect((await store.tasks.read(alice, taskId))?.isHidden).toBe(true);
  await store.tasks.reveal(alice, taskId);
  const { isHidden, task } = (await store.tasks.read(alice, taskId)) ?? {};
  expect([isHidden, JSON.parse(task?.toString() ?? '{}').id]).toEqual([false, taskId]);
});

test('is withdrawn at once, also for who has read it before, or names its version', async () => {
  const acceptance = await store.tasks.accept(alice, { message: userMessage() });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  const { taskId } = acceptance;
  await (await begun(store, taskId)).publish(replied);
  const before = await store.tasks.read(alice, taskId);
  expect(before?.isWithdrawn).toBe(false);
  await store.tasks.withdraw(alice, taskId);
  expect((await store.tasks.read(alice, taskId))?.isWithdrawn).toBe(true);
  expect((await store.tasks.read(alice, taskId, { version: before?.version }))?.isWithdrawn).toBe(true);
});

test('is shown only when the replicas know it', async () => {
  const server = await startRedis();
  try {
    const plain = await testStore({ redisUrl: server.url });
    const { taskId } = await hidden(plain);
    const careful = await testStore({ redisUrl: server.url, prefix: plain.settings.prefix, waitReplicas: 1 });
    await expect(careful.tasks.reveal(alice, taskId)).rejects.toThrow(NotReplicated);
    await Promise.all([plain.stop(), careful.stop()]);
  } finally {
    await server.stop();
  }
});

const hook = { url: 'https://client.example.com/hook', id: 'hook' };

test('takes no message that guesses its id, and shows no webhook', async () => {
  const acceptance = await store.tasks.accept(alice, { message: userMessage(), isHidden: true, webhook: hook });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  const { taskId } = acceptance;
  const { webhooks } = store.push;
  const attempts = async () => [
    (await store.tasks.accept(alice, { message: userMessage('more', { taskId }) })).verdict,
    await webhooks.get(alice, taskId, hook.id),
    await webhooks.list(alice, taskId, { pageSize: 10 }),
    await webhooks.delete(alice, taskId, hook.id),
    await webhooks.create(alice, taskId, hook),
  ];
  const nothing = ['missing', undefined, undefined, 'missing', 'missing'];
  expect(await attempts()).toEqual(nothing);
  await (await begun(store, taskId)).publish(replied);
  expect((await store.tasks.read(alice, taskId))?.isWithdrawn).toBe(true);
  expect(await attempts()).toEqual(nothing);
});

test('does not exist for its client, and can be canceled by an operator', async () => {
  const { taskId } = await hidden();
  expect(await store.push.webhooks.create(alice, taskId, { url: 'https://client.example.com/hook' })).toBe('missing');
  expect(await store.tasks.delete(alice, taskId)).toBe('missing');
  expect(await store.tasks.cancel(alice, taskId)).toBe('missing');
  expect(await store.ops.tasks.delete(taskId)).toBe('live');
  expect(await store.ops.tasks.cancel(taskId)).toBe('canceled');
});

test('does not make an index everlasting whose only member it is', async () => {
  const own = await testStore();
  const index = async (): Promise<number> => {
    const [key, ...others] = await redis.keys(`${own.settings.prefix}{s0}:*acme/alice/echo`);
    if (key === undefined || others.length > 0) throw new Error('there is not one index');
    return redis.pttl(key);
  };
  const acceptance = await own.tasks.accept(alice, { message: userMessage() });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  await (await begun(own, acceptance.taskId)).publish(replied);
  expect(await index()).toBeGreaterThan(0);
  await own.tasks.withdraw(alice, acceptance.taskId);
  expect(await index()).toBeGreaterThan(0);
});
