import { expect, test } from 'vitest';
import { accepted, beginTurn, begun, spent, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { patience } from '../../../tests/support/until.ts';

const store = await testStore({ maxAttempts: 2, shards: 4 });
const redis = testRedis();

/** Crashes in every attempt: the queue starts the job until the attempts are spent. */
async function crashInAllAttempts(taskId: string): Promise<void> {
  for (const started of [1, 2]) await begun(store, taskId, { started });
  expect(await beginTurn(store, { taskId, started: 3 })).toBe('exhausted');
}
const listed = async () => (await store.ops.deadLetters.list({ pageSize: 100 }, { kind: 'turn' })).items;

test('a message whose attempts all crashed fails its task, and becomes a dead letter with its details', async () => {
  const message = userMessage('poison', { metadata: { dose: 3 } });
  const { taskId, contextId } = await accepted(store, alice, message);
  await crashInAllAttempts(taskId);
  expect((await store.tasks.read(alice, taskId))?.state).toBe('TASK_STATE_FAILED');
  const [dead] = await listed();
  expect(dead).toMatchObject({
    taskId,
    contextId,
    agent: 'echo',
    tenant: 'acme',
    subject: 'alice',
    attempts: 2,
    reason: 'The agent stopped unexpectedly 2 times while working on this message; it was given up.',
    message,
  });
  expect(Date.now() - Date.parse(dead?.diedAt ?? '')).toBeLessThan(5_000 * patience);
});

test('a retry of a dead letter creates one task in its context that references the failed one', async () => {
  const { taskId, contextId } = await accepted(store, alice, userMessage('poison'));
  await crashInAllAttempts(taskId);
  const again = await Promise.all([store.ops.deadLetters.retry(taskId), store.ops.deadLetters.retry(taskId)]);
  const ids = again.map((result) => result.verdict === 'retried' && result.taskId);
  expect(new Set(ids).size).toBe(1);
  const task = JSON.parse((await store.tasks.read(alice, String(ids[0])))?.task?.toString() ?? '{}');
  expect(task).toMatchObject({ contextId, status: { state: 'TASK_STATE_SUBMITTED' } });
  expect(task.history).toMatchObject([{ parts: [{ text: 'poison' }], referenceTaskIds: [taskId] }]);
  expect((await listed()).map((dead) => dead.taskId)).not.toContain(taskId);
  expect(await store.ops.deadLetters.retry(taskId)).toEqual({ verdict: 'missing' });
});

test('a retry of a message that an agent sent creates a task for which no turn waits', async () => {
  const { taskId: callerId } = await accepted(store, alice);
  const caller = await begun(store, callerId);
  const { contextId = '' } = caller.start.task;
  const submission = { message: userMessage('poison', { contextId }) };
  const called = await store.calls.place(caller, { agent: 'echo', submission, isDetached: false });
  if (called.verdict !== 'accepted') throw new Error(called.verdict);
  await crashInAllAttempts(called.taskId);
  await caller.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  const retried = await store.ops.deadLetters.retry(called.taskId);
  if (retried.verdict !== 'retried') throw new Error(JSON.stringify(retried));
  const turn = await begun(store, retried.taskId);
  expect(turn.start.message).toMatchObject({ parts: [{ text: 'poison' }], referenceTaskIds: [called.taskId] });
  expect(turn.start.caller).toBeUndefined();
});

test('a message whose agent failed in all attempts becomes a dead letter; the client reads the reason', async () => {
  const { taskId } = await accepted(store, alice, userMessage('cold'));
  const turn = await begun(store, taskId);
  await turn.publish(spent('The oven said "no".'));
  const reading = await store.tasks.read(alice, taskId);
  expect(JSON.parse(reading?.task?.toString() ?? '{}')).toMatchObject({
    status: { state: 'TASK_STATE_FAILED', message: { parts: [{ text: 'The oven said "no".' }] } },
  });
  expect(await store.ops.deadLetters.get(taskId)).toMatchObject({ attempts: 1, reason: 'The oven said "no".' });
});

test('a canceled task does not become a dead letter', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await store.tasks.cancel(alice, taskId);
  await turn.publish(spent('The oven is cold.'));
  expect(turn.ending).toBe('canceled');
  expect((await store.tasks.read(alice, taskId))?.state).toBe('TASK_STATE_CANCELED');
  expect(await store.ops.deadLetters.get(taskId)).toBeUndefined();
});

test('a dead letter can be deleted with all its keys', async () => {
  const { taskId } = await accepted(store, alice);
  await crashInAllAttempts(taskId);
  expect(await store.ops.deadLetters.delete(taskId)).toBe(true);
  expect(await store.ops.deadLetters.delete(taskId)).toBe(false);
  expect(await redis.keys(`${store.settings.prefix}*${taskId}:d`)).toEqual([]);
});

test('the last event of a message that was given up names the messages that wait behind it, and not itself', async () => {
  const spentOnes = await Promise.all([accepted(store, alice), accepted(store, alice)]);
  const waiting = await Promise.all(
    spentOnes.map(async ({ taskId }) => (await accepted(store, alice, userMessage('more', { taskId }))) && taskId),
  );
  expect(waiting).toHaveLength(2);
  const [crashed = '', failed = ''] = waiting;
  await crashInAllAttempts(crashed);
  await (await begun(store, failed)).publish(spent('The oven is cold.'));
  for (const taskId of waiting) {
    const { metadata } = JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '{}');
    expect(metadata['switchyard.droppedMessageIds']).toHaveLength(1);
  }
});

test('a dead letter whose message is damaged does not keep operators from the others', async () => {
  const [sound, damaged] = await Promise.all([accepted(store, alice), accepted(store, alice)]);
  for (const { taskId } of [sound, damaged]) await crashInAllAttempts(taskId);
  const [key = ''] = await redis.keys(`${store.settings.prefix}*:t:${damaged.taskId}:d`);
  await redis.hset(key, 'entry', '"m"\nno JSON');
  const ids = (await listed()).map(({ taskId }) => taskId);
  expect(ids).toContain(sound.taskId);
  expect(ids).not.toContain(damaged.taskId);
});
