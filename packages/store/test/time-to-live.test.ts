import type { Task } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { Store } from '../src/index.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const asks = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true } as const;
const noHooks = { onCancel: () => undefined, onFenced: () => undefined };
const TTL_MS = 50;

async function send(store: Store, timeToLiveMs: number, message = userMessage()): Promise<string> {
  const sent = await store.tasks.accept(alice, { message, timeToLiveMs });
  if (sent.verdict !== 'accepted') throw new Error(sent.verdict);
  return sent.taskId;
}

const keysOf = ({ settings }: Store) => ({
  beginBy: `${settings.prefix}{s0}:outbox:begin-by`,
  task: (id: string) => `${settings.prefix}{s0}:t:${id}`,
});

const rejectDue = (store: Store) =>
  until(async () => (await store.timesToLive.reject()).messages.length > 0, { what: 'a message is rejected' });

async function read(store: Store, taskId: string): Promise<Task> {
  return JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '{}');
}

describe('a message with a time to live', () => {
  test('ends its task as rejected if no worker begins it, and its job leaves the queue', async () => {
    const store = await testStore();
    const taskId = await send(store, TTL_MS);
    await accepted(store, alice, userMessage('more', { taskId }));
    await rejectDue(store);
    const task = await read(store, taskId);
    expect(task.status.state).toBe('TASK_STATE_REJECTED');
    expect(task.status.message?.parts[0]?.text).toMatch(
      /^No worker began .* by 2\d{3}-.*Z, when its time to live ended/,
    );
    expect(task.metadata?.['switchyard.droppedMessageIds']).toHaveLength(1);
    expect(await store.queue.counts('echo')).toMatchObject({ waiting: 0, active: 0, delayed: 0 });
    expect(await redis.exists(keysOf(store).beginBy)).toBe(0);
    expect((await store.timesToLive.reject()).messages).toEqual([]);
  });

  test('is rejected by the worker that takes it too late', async () => {
    const store = await testStore();
    const taskId = await send(store, 1);
    await until(async () => Number(await redis.zscore(keysOf(store).beginBy, taskId)) < Date.now() - 1, {
      what: 'late',
    });
    const job = store.turns.jobOf({ queue: 'echo', taskId, job: 1, started: 1, token: 'w:1' });
    expect(await job.begin(noHooks)).toBe('rejected');
    expect(await job.begin(noHooks)).toBe('stale');
    expect((await read(store, taskId)).status.state).toBe('TASK_STATE_REJECTED');
  });

  test('is rejected by the worker that takes it too late, which goes on with the message behind it', async () => {
    const store = await testStore();
    const { taskId } = await accepted(store, alice);
    await (await begun(store, taskId)).publish(asks);
    await send(store, 1, userMessage('late', { taskId }));
    await accepted(store, alice, userMessage('next', { taskId }));
    await until(async () => Number(await redis.zscore(keysOf(store).beginBy, taskId)) < Date.now() - 1, {
      what: 'late',
    });
    const job = store.turns.jobOf({ queue: 'echo', taskId, job: 2, started: 1, token: 'w:1' });
    expect(await job.begin(noHooks)).toBe('rejected');
    const turn = await job.begin(noHooks);
    expect(typeof turn !== 'string' && turn.start.message.parts[0]?.text).toBe('next');
    expect(await redis.exists(keysOf(store).beginBy)).toBe(0);
  });

  test('has none any more once it has begun: neither a retry nor a suspended turn is rejected', async () => {
    const store = await testStore();
    const taskId = await send(store, 60_000);
    const turn = await begun(store, taskId);
    expect(await redis.exists(keysOf(store).beginBy)).toBe(0);
    await turn.handBack(true);
    expect(await redis.hget(keysOf(store).task(taskId), 'begin_by')).toBeNull();
  });

  test('that answers a question is rejected alone: the task waits for its client again', async () => {
    const store = await testStore();
    const { taskId } = await accepted(store, alice);
    await (await begun(store, taskId)).publish(asks);
    await send(store, TTL_MS, userMessage('late', { taskId }));
    await rejectDue(store);
    const task = await read(store, taskId);
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(task.status.message?.parts[0]?.text).toContain('it was rejected');
    expect(await store.ops.agentQueues.stateOf('echo', taskId, 2)).toBe('unknown');
    await accepted(store, alice, userMessage('again', { taskId }));
    expect((await begun(store, taskId, { job: 3 })).start.message.parts[0]?.text).toBe('again');
  });

  test('that answers a question leaves the message behind it in the queue', async () => {
    const store = await testStore();
    const { taskId } = await accepted(store, alice);
    await (await begun(store, taskId)).publish(asks);
    await send(store, TTL_MS, userMessage('late', { taskId }));
    await accepted(store, alice, userMessage('next', { taskId }));
    await rejectDue(store);
    expect((await read(store, taskId)).status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await begun(store, taskId, { job: 2 })).start.message.parts[0]?.text).toBe('next');
  });

  test('that is scheduled has it from its time on', async () => {
    const store = await testStore();
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const message = userMessage();
    const sent = await store.tasks.accept(alice, { message, timeToLiveMs: TTL_MS, schedule: { at } });
    if (sent.verdict !== 'accepted') throw new Error(sent.verdict);
    expect(await redis.exists(keysOf(store).beginBy)).toBe(0);
    await redis.hset(keysOf(store).task(sent.taskId), 'later', '1');
    const later = `${store.settings.prefix}{s0}:outbox:later`;
    await redis.zadd(later, '1', (await redis.zrange(later, '0', '0'))[0] ?? '');
    await store.scheduledTasks.begin();
    await rejectDue(store);
    expect((await read(store, sent.taskId)).status.state).toBe('TASK_STATE_REJECTED');
  });

  test('loses it when its task is canceled', async () => {
    const store = await testStore();
    await store.tasks.cancel(alice, await send(store, 60_000));
    expect(await redis.exists(keysOf(store).beginBy)).toBe(0);
  });
});
