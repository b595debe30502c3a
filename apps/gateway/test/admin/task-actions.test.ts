import { randomUUID } from 'node:crypto';
import { OperatorClient } from '@switchyard/operator-api';
import { streamResponseSchema } from '@switchyard/protocol/schemas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { beginTurn } from '../../../../tests/support/store/drive.ts';
import { type AdminStage, begin, key, openAdminStage } from './support.ts';

const alice = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'echo' };
let stage: AdminStage;
let client: OperatorClient;
beforeAll(async () => {
  stage = await openAdminStage();
  client = new OperatorClient({ url: stage.adminUrl, key });
});
afterAll(() => stage[Symbol.asyncDispose]());

async function taskOfAlice(): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
  const acceptance = await stage.store.tasks.accept(alice, { message });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance.taskId;
}

const say = (text: string) => ({ messageId: randomUUID(), role: 'ROLE_AGENT' as const, parts: [{ text }] });
const answer = (taskId: string, body: object) =>
  client.call(`/admin/tasks/${taskId}:answer`, z.undefined(), { method: 'POST', body });

test('an operator follows the events of any task, from its current state to its end', async () => {
  const taskId = await taskOfAlice();
  const turn = await begin(stage.store, taskId);
  const events = client.events(`/admin/tasks/${taskId}/events`, streamResponseSchema);
  expect((await events.next()).value?.task).toMatchObject({ id: taskId, history: [{ parts: [{ text: 'go' }] }] });
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message: say('done') });
  const rest = await Array.fromAsync(events);
  expect(rest.at(-1)?.statusUpdate?.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  await expect(client.events(`/admin/tasks/${randomUUID()}/events`, z.unknown()).next()).rejects.toMatchObject({
    status: 404,
  });
});

test('an operator answers a waiting task for its client, and a repeated answer counts once', async () => {
  const taskId = await taskOfAlice();
  const turn = await begin(stage.store, taskId);
  await expect(answer(taskId, { messageId: 'too-early', parts: [{ text: 'large' }] })).rejects.toMatchObject({
    status: 400,
    message: 'The task does not wait for an answer',
  });
  await turn.publish({
    kind: 'status',
    state: 'TASK_STATE_INPUT_REQUIRED',
    settles: true,
    message: say('Which size?'),
  });
  const body = { messageId: 'answer', parts: [{ text: 'large' }] };
  await answer(taskId, body);
  await answer(taskId, body);
  const task = JSON.parse((await stage.store.tasks.read(alice, taskId))?.task?.toString() ?? '{}');
  expect(task.history.map(({ parts }: { parts: object[] }) => parts[0])).toEqual([
    { text: 'go' },
    { text: 'Which size?' },
    { text: 'large' },
  ]);
  const next = await beginTurn(stage.store, { taskId, job: 2 });
  expect(next).toMatchObject({ start: { metadata: { 'switchyard.operator': 'operator' } } });
});
