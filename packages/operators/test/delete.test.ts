import { Conversations } from '@switchyard/conversations';
import type { TurnEvent } from '@switchyard/protocol';
import type { OpenTurn } from '@switchyard/store';
import { expect, test } from 'vitest';
import { accepted, agentMessage, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { patience } from '../../../tests/support/until.ts';

const store = await testStore({ shards: 4, inlineTextBytes: 64 });
const redis = testRedis();

const completed: TurnEvent = {
  kind: 'status',
  state: 'TASK_STATE_COMPLETED',
  settles: true,
  message: agentMessage('done'),
};

/** The keys of tasks: without those of the queue itself, of the registry, and the numbers of open tasks. */
async function keysOfTasks(): Promise<string[]> {
  const keys = await redis.keys(`${store.settings.prefix}*`);
  const others = /\{agents\}|:running:queues$|:outbox:open$|:q:echo:(?:meta|events|marker|id|removed|tenants)$/;
  return keys.filter((key) => !others.test(key)).sort();
}

async function publishArtifact(turn: OpenTurn, text: string): Promise<void> {
  const artifact = { artifactId: 'a', parts: [{ text }] };
  await turn.publish({ kind: 'artifact', artifact, append: false, lastChunk: true });
}

async function completedTask(): Promise<string> {
  const { taskId } = await accepted(store, alice, userMessage('a question that is too long for the hash'));
  const turn = await begun(store, taskId);
  await publishArtifact(turn, 'x'.repeat(500));
  await turn.publish(completed);
  await turn.flush();
  return taskId;
}

test('a deleted task leaves no record, text, event, index, webhook, step or accepted message', async () => {
  const before = await keysOfTasks();
  const taskId = await completedTask();
  await store.webhooks.create(alice, taskId, { url: 'https://example.com/hook' });
  expect((await keysOfTasks()).length).toBeGreaterThan(before.length + 5);
  expect(await store.tasks.delete(alice, taskId)).toBe('deleted');
  expect(await keysOfTasks()).toEqual(before);
  expect(await store.tasks.read(alice, taskId)).toBeUndefined();
  expect((await store.tasks.list(alice, { pageSize: 10 })).totalSize).toBe(0);
  expect(await store.tasks.delete(alice, taskId)).toBe('missing');
});

test('deleting a task takes no longer if its webhooks were replaced millions of times', async () => {
  const before = await keysOfTasks();
  const taskId = await completedTask();
  for (const id of ['a', 'b', 'b']) {
    await store.webhooks.create(alice, taskId, { id, url: 'https://example.com/hook' });
  }
  const [webhooks = ''] = await redis.keys(`${store.settings.prefix}*${taskId}:w`);
  const push = webhooks.replace(/:t:.*/, ':push');
  await redis.zadd(push, 0, `${taskId}.1`, 0, `${taskId}.3`);
  await redis.zadd(`${push}:dead`, 0, `${taskId}.1`);
  await redis.hset(webhooks, 'last', 5_000_000);
  const startedAt = performance.now();
  expect(await store.tasks.delete(alice, taskId)).toBe('deleted');
  expect(performance.now() - startedAt).toBeLessThan(1_000 * patience);
  expect(await keysOfTasks()).toEqual(before);
});

test('deleting a task removes a job that a cancel by a gateway of an earlier version has left in the queue', async () => {
  const { taskId } = await accepted(store, alice);
  await store.tasks.cancel(alice, taskId);
  const { waiting } = await store.queue.counts('echo');
  await store.queue.add('acme/alice/echo', { taskId, job: 1 });
  expect((await store.queue.counts('echo')).waiting).toBe(waiting + 1);
  expect(await store.tasks.delete(alice, taskId)).toBe('deleted');
  expect((await store.queue.counts('echo')).waiting).toBe(waiting);
});

test('an open task and a task of another principal cannot be deleted', async () => {
  const { taskId } = await accepted(store, alice);
  expect(await store.tasks.delete(alice, taskId)).toBe('live');
  const ended = await completedTask();
  expect(await store.tasks.delete(bob, ended)).toBe('missing');
  expect((await store.tasks.read(alice, ended))?.state).toBe('TASK_STATE_COMPLETED');
});

test('deleting a task frees its message id, unless another task uses it', async () => {
  const message = userMessage('again');
  const first = await accepted(store, alice, message);
  await store.tasks.cancel(alice, first.taskId);
  const [key = ''] = await redis.keys(`${store.settings.prefix}*:m:*:${message.messageId}`);
  const [print] = (await redis.get(key))?.split(' ') ?? [];
  await redis.set(key, `${print} another-task 1`);
  await store.tasks.delete(alice, first.taskId);
  expect(await redis.get(key)).toBe(`${print} another-task 1`);
  await redis.del(key);
  expect((await accepted(store, alice, message)).isDuplicate).toBe(false);
});

test('deleting a task deletes its conversations', async () => {
  const before = await keysOfTasks();
  const { taskId, contextId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const id = await store.conversations.open(turn, { seed: 'one', toAgent: 'other', maxTurns: 2 });
  await store.conversations.append(turn, id, { seq: 1, event: { phase: 'complete' }, nextTurn: 1, isEnd: true });
  await turn.publish(completed);
  await turn.flush();
  await store.orphans.end(new Conversations(store.inside));
  expect(await store.conversations.list(alice.principal, { contextId, limit: 5 })).toHaveLength(1);
  await store.queue.remove('echo', taskId, 1);
  expect(await store.tasks.delete(alice, taskId)).toBe('deleted');
  expect(await keysOfTasks()).toEqual(before);
});
