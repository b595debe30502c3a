import { randomUUID } from 'node:crypto';
import type { Task } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { accepted, begun } from '../../../tests/support/store/drive.ts';
import { alice, testStore } from '../../../tests/support/store/redis.ts';

const store = await testStore();

async function waitingTask(): Promise<string> {
  const { taskId } = await accepted(store, alice);
  await (await begun(store, taskId)).publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
  return taskId;
}

const answer = (taskId: string, messageId: string = randomUUID()) =>
  store.ops.tasks.answer(taskId, { messageId, parts: [{ text: 'yes' }], operator: 'ops' });
const historyOf = async (taskId: string) => {
  const { history = [] }: Task = JSON.parse((await store.tasks.read(alice, taskId))?.task?.toString() ?? '{}');
  return history.slice(1);
};

test('of concurrent answers of operators, a task accepts one', async () => {
  const taskId = await waitingTask();
  const verdicts = (await Promise.all(Array.from({ length: 8 }, () => answer(taskId)))).map(({ verdict }) => verdict);
  expect(verdicts.sort()).toEqual(['accepted', ...Array(7).fill('not-waiting')]);
  expect(await historyOf(taskId)).toHaveLength(1);
});

test('an answer that is sent again is accepted once, also after its task has continued', async () => {
  const taskId = await waitingTask();
  expect(await answer(taskId, 'once')).toEqual({ verdict: 'accepted' });
  await (await begun(store, taskId, { job: 2 })).publish({
    kind: 'status',
    state: 'TASK_STATE_COMPLETED',
    settles: true,
  });
  expect(await answer(taskId, 'once')).toEqual({ verdict: 'accepted' });
  expect(await answer(taskId, 'another')).toEqual({ verdict: 'not-waiting' });
  expect(await answer(randomUUID())).toEqual({ verdict: 'missing' });
  expect(await historyOf(taskId)).toHaveLength(1);
});
