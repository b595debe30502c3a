import type { TurnEvent } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { TaskTooLarge } from '../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const chunk = (text: string, append = true): TurnEvent => ({
  kind: 'artifact',
  artifact: { artifactId: 'a', parts: [{ text }] },
  append,
  lastChunk: false,
});
const status = (
  state: 'INPUT_REQUIRED' | 'AUTH_REQUIRED' | 'WORKING' | 'COMPLETED' | 'FAILED',
  text?: string,
): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles: state !== 'WORKING' && state !== 'AUTH_REQUIRED',
  ...(text !== undefined && { message: agentMessage(text) }),
});

describe('a task at its size limit', async () => {
  const store = await testStore({ maxTaskBytes: 10_000, maxHistoryBytes: 5_000, inlineTextBytes: 100 });
  const stateOf = async (taskId: string) => (await store.tasks.read(alice, taskId))?.state;

  test('refuses further chunks, and can still end', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await turn.publish(chunk('x'.repeat(9_000)));
    await expect(turn.publish(chunk('x'.repeat(1_000)))).rejects.toThrow(TaskTooLarge);
    await turn.publish(status('FAILED', 'too much'));
    expect(await stateOf(taskId)).toBe('TASK_STATE_FAILED');
  });

  test('refuses chunks of the next attempt, too, unless that replaces the artifact', async () => {
    const { taskId } = await accepted(store, alice);
    const first = await begun(store, taskId);
    await first.publish(chunk('x'.repeat(9_000)));
    await first.flush();
    const second = await begun(store, taskId, { started: 2 });
    await expect(second.publish(chunk('x'.repeat(1_000)))).rejects.toThrow(TaskTooLarge);
    await second.publish(chunk('x'.repeat(1_000), false));
    await second.publish(chunk('x'.repeat(8_000)));
    await second.publish(status('COMPLETED'));
    expect(await stateOf(taskId)).toBe('TASK_STATE_COMPLETED');
  });

  test('refuses a message of the agent that exceeds maxHistoryBytes, but accepts an outcome', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await expect(turn.publish(status('WORKING', 'x'.repeat(6_000)))).rejects.toThrow(TaskTooLarge);
    await turn.publish(status('COMPLETED', 'x'.repeat(6_000)));
    expect(await stateOf(taskId)).toBe('TASK_STATE_COMPLETED');
  });

  test('refuses an outcome of megabytes, and accepts a smaller one afterwards', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await expect(turn.publish(status('COMPLETED', 'x'.repeat(2_000_000)))).rejects.toThrow(TaskTooLarge);
    await turn.publish(status('FAILED', 'too large an answer'));
    expect(await stateOf(taskId)).toBe('TASK_STATE_FAILED');
  });

  test('refuses a message of the client that exceeds maxHistoryBytes', async () => {
    const { taskId } = await accepted(store, alice);
    await (await begun(store, taskId)).publish(status('INPUT_REQUIRED'));
    const send = async (text: string) => {
      const { verdict } = await store.tasks.accept(alice, { message: userMessage(text, { taskId }) });
      return verdict;
    };
    expect(await send('x'.repeat(4_000))).toBe('accepted');
    expect(await send('x'.repeat(4_000))).toBe('history-full');
    expect(await send('short')).toBe('accepted');
  });

  test('refuses metadata of more than a megabyte', async () => {
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    const working = { ...status('WORKING'), metadata: { note: 'x'.repeat(2_000_000) } };
    await expect(turn.publish(working)).rejects.toThrow(TaskTooLarge);
    await turn.publish(status('COMPLETED'));
    expect(await stateOf(taskId)).toBe('TASK_STATE_COMPLETED');
  });
});

test('a large history is read outside of the scripts, and is complete', async () => {
  const store = await testStore({ largeTextBytes: 2_000, inlineTextBytes: 100 });
  const { taskId } = await accepted(store, alice, userMessage('a'.repeat(3_000)));
  const turn = await begun(store, taskId);
  expect(turn.start.task.history?.map(({ parts }) => parts)).toEqual([[{ text: 'a'.repeat(3_000) }]]);
  await turn.publish(status('COMPLETED', 'done'));
  const task = JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '');
  expect(task.history).toHaveLength(2);
});

test('a page ends with the task that exceeds maxPageBytes; the next page begins after it', async () => {
  const store = await testStore({ maxPageBytes: 5_000 });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await accepted(store, alice, userMessage('x'.repeat(2_000)))).taskId);
  const seen: string[][] = [];
  let pageToken = '';
  do {
    const page = await store.tasks.list(alice, { pageSize: 10, pageToken });
    expect(page.totalSize).toBe(5);
    seen.push(page.tasks.map((task) => JSON.parse(task).id));
    pageToken = page.nextPageToken;
  } while (pageToken);
  expect(seen.map(({ length }) => length)).toEqual([3, 2]);
  expect(seen.flat().sort()).toEqual(ids.sort());
});

describe('a task that waits for its client', () => {
  test('is in the operators’ list of interrupted tasks until it is answered', async () => {
    const store = await testStore();
    const { taskId } = await accepted(store, alice);
    await (await begun(store, taskId)).publish(status('INPUT_REQUIRED'));
    const list = async () => (await store.ops.listInterrupted({ pageSize: 10 })).items;
    expect(await list()).toMatchObject([{ taskId, agent: 'echo', state: 'TASK_STATE_INPUT_REQUIRED' }]);
    expect(await store.interrupted.endOverdue()).toBe(0);
    await accepted(store, alice, userMessage('an answer', { taskId }));
    expect(await list()).toEqual([]);
  });

  test.each(['INPUT_REQUIRED', 'AUTH_REQUIRED'] as const)(
    'longer than interruptedRetentionMs is canceled (%s), and expires',
    async (state) => {
      const store = await testStore({ interruptedRetentionMs: 1, retentionMs: 60_000 });
      const { taskId } = await accepted(store, alice);
      const turn = await begun(store, taskId);
      await turn.publish(status(state));
      if (state === 'AUTH_REQUIRED') await turn.end();
      await until(async () => (await store.interrupted.endOverdue()) === 1, { what: 'the task is canceled' });
      const reading = await store.tasks.read(alice, taskId);
      expect(reading?.state).toBe('TASK_STATE_CANCELED');
      const task = JSON.parse(reading?.task?.toString() ?? '');
      expect(task.status.message.parts).toEqual([{ text: 'No answer came in time; the task was canceled.' }]);
      expect(await redis.pttl(`${store.settings.prefix}{s0}:t:${taskId}`)).toBeGreaterThan(0);
      expect((await store.ops.listInterrupted({ pageSize: 1 })).totalSize).toBe(0);
    },
  );

  test('is not canceled while the turn that requires authorization is open', async () => {
    const store = await testStore({ interruptedRetentionMs: 1 });
    const { taskId } = await accepted(store, alice);
    const turn = await begun(store, taskId);
    await turn.publish(status('AUTH_REQUIRED'));
    expect((await store.ops.listInterrupted({ pageSize: 1 })).totalSize).toBe(0);
    expect(await store.interrupted.endOverdue()).toBe(0);
    await turn.publish(status('COMPLETED'));
  });
});
