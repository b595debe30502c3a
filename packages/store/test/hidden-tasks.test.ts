import { Conversations } from '@switchyard/conversations';
import type { TurnEvent } from '@switchyard/protocol';
import { NotReplicated } from '@switchyard/redis';
import { expect, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import type { Store } from '../src/index.ts';
import { agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const store = await testStore();
const redis = testRedis();
// A task is hidden until it is known whether its agent answers with a message; then it is revealed or withdrawn.

const replied: TurnEvent = {
  kind: 'status',
  state: 'TASK_STATE_COMPLETED',
  settles: true,
  isPlainMessage: true,
  message: agentMessage('42'),
};

async function acceptHidden(own: Store = store): Promise<{ taskId: string; contextId: string }> {
  const acceptance = await own.tasks.accept(alice, { message: userMessage(), isHidden: true });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance;
}

test('a detached call continues when the calling task is withdrawn, an awaited one is canceled', async () => {
  const { taskId, contextId } = await acceptHidden();
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
  await store.orphans.end(new Conversations(store.inside));
  const readings = await Promise.all(called.map((id) => store.tasks.read({ ...alice, agent: 'kitchen' }, id)));
  expect(readings.map((reading) => reading?.state)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_CANCELED']);
});

test('a hidden task can be read as soon as it is revealed', async () => {
  const { taskId } = await acceptHidden();
  expect((await store.tasks.read(alice, taskId))?.isHidden).toBe(true);
  await store.tasks.reveal(alice, taskId);
  const { isHidden, task } = (await store.tasks.read(alice, taskId)) ?? {};
  expect([isHidden, JSON.parse(task?.toString() ?? '{}').id]).toEqual([false, taskId]);
});

test('a withdrawn task cannot be read any more, also with its last version', async () => {
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

test('with waitReplicas, revealing a task fails if the replicas do not confirm it', async () => {
  const server = await startRedis();
  try {
    const plain = await testStore({ redisUrl: server.url });
    const { taskId } = await acceptHidden(plain);
    const waiting = await testStore({ redisUrl: server.url, prefix: plain.settings.prefix, waitReplicas: 1 });
    await expect(waiting.tasks.reveal(alice, taskId)).rejects.toThrow(NotReplicated);
    await Promise.all([plain.stop(), waiting.stop()]);
  } finally {
    await server.stop();
  }
});

const hook = { url: 'https://client.example.com/hook', id: 'hook' };

test('a hidden task accepts no message and shows no webhook to a client that guesses its id', async () => {
  const acceptance = await store.tasks.accept(alice, { message: userMessage(), isHidden: true, webhook: hook });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  const { taskId } = acceptance;
  const { webhooks } = store;
  const attempts = async () => [
    (await store.tasks.accept(alice, { message: userMessage('more', { taskId }) })).verdict,
    await webhooks.get(alice, taskId, hook.id),
    await webhooks.list(alice, taskId, { pageSize: 10 }),
    await webhooks.delete(alice, taskId, hook.id),
    await webhooks.create(alice, taskId, hook),
  ];
  const allMissing = ['missing', undefined, undefined, 'missing', 'missing'];
  expect(await attempts()).toEqual(allMissing);
  await (await begun(store, taskId)).publish(replied);
  expect((await store.tasks.read(alice, taskId))?.isWithdrawn).toBe(true);
  expect(await attempts()).toEqual(allMissing);
});

test('a hidden task does not exist for its client, but an operator can cancel it', async () => {
  const { taskId } = await acceptHidden();
  expect(await store.webhooks.create(alice, taskId, { url: 'https://client.example.com/hook' })).toBe('missing');
  expect(await store.tasks.delete(alice, taskId)).toBe('missing');
  expect(await store.tasks.cancel(alice, taskId)).toBe('missing');
  expect(await store.ops.tasks.delete(taskId)).toBe('live');
  expect(await store.ops.tasks.cancel(taskId)).toBe('canceled');
});

test('the index expires also if its only task was withdrawn', async () => {
  const own = await testStore();
  const indexTtl = async (): Promise<number> => {
    const [key, ...others] = await redis.keys(`${own.settings.prefix}{s0}:*acme/alice/echo`);
    if (key === undefined || others.length > 0) throw new Error('there is not exactly one index');
    return redis.pttl(key);
  };
  const acceptance = await own.tasks.accept(alice, { message: userMessage() });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  await (await begun(own, acceptance.taskId)).publish(replied);
  expect(await indexTtl()).toBeGreaterThan(0);
  await own.tasks.withdraw(alice, acceptance.taskId);
  expect(await indexTtl()).toBeGreaterThan(0);
});
