import { Webhooks } from '@switchyard/push';
import { NotReplicated } from '@switchyard/redis';
import type { Store } from '@switchyard/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { accepted, agentMessage, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, bob, testRedis, testStore } from '../../../tests/support/store/redis.ts';

const store = await testStore({ maxWebhooks: 3, pushSecrets: ['a secret'], retentionMs: 60_000 });
const redis = testRedis();
const { webhooks } = store;
const url = 'https://client.example.com/hook';
const key = (taskId: string): string => `${store.settings.prefix}{s0}:t:${taskId}:w`;
const all = { pageSize: 100 };

async function create(taskId: string, id: string): Promise<void> {
  expect(await webhooks.create(alice, taskId, { id, url })).toMatchObject({ id });
}

describe('the webhooks of a task', () => {
  test('can be created, read, listed and deleted', async () => {
    const { taskId } = await accepted(store, alice);
    const webhook = { id: 'a', url, token: 't', authentication: { scheme: 'Bearer', credentials: 'c' } };
    expect(await webhooks.create(alice, taskId, webhook)).toEqual(webhook);
    expect(await webhooks.get(alice, taskId, 'a')).toEqual(webhook);
    expect(await webhooks.list(alice, taskId, all)).toEqual({ webhooks: [webhook], nextPageToken: '' });
    expect(await webhooks.delete(alice, taskId, 'a')).toBe('deleted');
    expect(await webhooks.delete(alice, taskId, 'a')).toBe('deleted');
    expect(await webhooks.get(alice, taskId, 'a')).toBeUndefined();
    expect(await webhooks.list(alice, taskId, all)).toEqual({ webhooks: [], nextPageToken: '' });
  });

  test('get an id if they have none', async () => {
    const { taskId } = await accepted(store, alice);
    const webhook = await webhooks.create(alice, taskId, { url });
    if (typeof webhook === 'string') throw new Error(webhook);
    expect(await webhooks.get(alice, taskId, webhook.id)).toEqual({ id: expect.any(String), url });
  });

  test('do not exist for another principal', async () => {
    const { taskId } = await accepted(store, alice);
    await create(taskId, 'a');
    expect(await webhooks.create(bob, taskId, { id: 'b', url })).toBe('missing');
    expect(await webhooks.get(bob, taskId, 'a')).toBeUndefined();
    expect(await webhooks.list(bob, taskId, all)).toBeUndefined();
    expect(await webhooks.delete(bob, taskId, 'a')).toBe('missing');
    expect(await webhooks.get(alice, taskId, 'a')).toBeDefined();
  });

  test('are encrypted in Redis, including their URL', async () => {
    const { taskId } = await accepted(store, alice);
    await webhooks.create(alice, taskId, {
      id: 'a',
      url,
      token: 'hush',
      authentication: { scheme: 'Basic', credentials: 'hush' },
    });
    const stored = JSON.stringify(await redis.hgetall(key(taskId)));
    expect(stored).not.toContain('hush');
    expect(stored).not.toContain('client.example.com');
  });

  test('are limited to maxWebhooks per task; one with an existing id is replaced', async () => {
    const { taskId } = await accepted(store, alice);
    for (const id of ['a', 'b', 'c']) await create(taskId, id);
    expect(await webhooks.create(alice, taskId, { id: 'd', url })).toBe('too-many');
    expect(await webhooks.create(alice, taskId, { id: 'b', url: `${url}/2` })).toMatchObject({ id: 'b' });
    expect(await webhooks.get(alice, taskId, 'b')).toEqual({ id: 'b', url: `${url}/2` });
    await webhooks.delete(alice, taskId, 'a');
    await create(taskId, 'd');
  });

  test('are listed in pages without a gap if one is deleted between two pages', async () => {
    const { taskId } = await accepted(store, alice);
    for (const id of ['a', 'b', 'c']) await create(taskId, id);
    const first = await webhooks.list(alice, taskId, { pageSize: 2 });
    expect(first?.webhooks.map(({ id }) => id)).toEqual(['a', 'b']);
    await webhooks.delete(alice, taskId, 'b');
    const second = await webhooks.list(alice, taskId, { pageSize: 2, pageToken: first?.nextPageToken });
    expect(second).toMatchObject({ webhooks: [{ id: 'c' }], nextPageToken: '' });
    await expect(webhooks.list(alice, taskId, { pageSize: 2, pageToken: 'x' })).rejects.toThrow(/page token/);
  });

  test('with waitReplicas, changing or deleting them, or their task, fails if the replicas do not confirm it', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const plain = await testStore({ redisUrl: server.url });
    const { prefix } = plain.settings;
    const changes: ((own: Store, taskId: string) => Promise<unknown>)[] = [
      (own, taskId) => new Webhooks(own.inside).create(alice, taskId, { id: 'a', url }),
      (own, taskId) => new Webhooks(own.inside).delete(alice, taskId, 'a'),
      (own, taskId) => own.tasks.delete(alice, taskId),
    ];
    const fails = async (change: (typeof changes)[number]): Promise<void> => {
      const { taskId } = await accepted(plain, alice);
      await plain.tasks.cancel(alice, taskId);
      const waiting = await testStore({ redisUrl: server.url, prefix, waitReplicas: 1 });
      await expect(change(waiting, taskId)).rejects.toThrow(NotReplicated);
      await waiting.stop();
    };
    await Promise.all(changes.map(fails));
    await plain.stop();
  });

  test('expire with their task, also when they are created after its end', async () => {
    const { taskId } = await accepted(store, alice);
    await create(taskId, 'a');
    expect(await redis.pttl(key(taskId))).toBe(-1);
    await store.tasks.cancel(alice, taskId);
    expect(await redis.pttl(key(taskId))).toBeGreaterThan(0);
    const { taskId: ended } = await accepted(store, alice);
    await store.tasks.cancel(alice, ended);
    await create(ended, 'a');
    expect(await redis.pttl(key(ended))).toBeGreaterThan(0);
  });
});

describe('a webhook that is given with a message', () => {
  test('is created together with the task, and marked for the first event', async () => {
    const acceptance = await store.tasks.accept(alice, { message: userMessage(), webhook: { url } });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    const page = await webhooks.list(alice, acceptance.taskId, all);
    expect(page?.webhooks).toHaveLength(1);
    expect(await redis.hget(key(acceptance.taskId), '1:cursor')).toBe('0');
    expect(await redis.zscore(`${store.settings.prefix}{s0}:push`, `${acceptance.taskId}.1`)).not.toBeNull();
  });

  test('is created once if the message is sent again; another webhook is a conflict', async () => {
    const submission = { message: userMessage(), webhook: { url } };
    const first = await store.tasks.accept(alice, submission);
    expect(await store.tasks.accept(alice, submission)).toMatchObject({ isDuplicate: true });
    if (first.verdict !== 'accepted') throw new Error(first.verdict);
    expect((await webhooks.list(alice, first.taskId, all))?.webhooks).toHaveLength(1);
    expect(await store.tasks.accept(alice, { ...submission, webhook: { url: `${url}/2` } })).toEqual({
      verdict: 'conflict',
    });
  });

  test('is refused together with its message if the task has maxWebhooks webhooks', async () => {
    const { taskId } = await accepted(store, alice);
    for (const id of ['a', 'b', 'c']) await create(taskId, id);
    const message = userMessage('more', { taskId });
    expect(await store.tasks.accept(alice, { message, webhook: { url } })).toEqual({ verdict: 'too-many-webhooks' });
    expect(await store.tasks.accept(alice, { message, webhook: { id: 'a', url } })).toMatchObject({
      verdict: 'accepted',
    });
  });

  test('of a follow-up message receives the events after the message', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await turn.publish({
      kind: 'status',
      state: 'TASK_STATE_WORKING',
      settles: false,
      message: agentMessage('before'),
    });
    await store.tasks.accept(alice, { message: userMessage('more', { taskId }), webhook: { id: 'a', url } });
    expect(await redis.hget(key(taskId), '1:cursor')).toMatch(/^2-\d+$/);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false, message: agentMessage('after') });
    expect(await redis.zscore(`${store.settings.prefix}{s0}:push`, `${taskId}.1`)).not.toBeNull();
  });
});
