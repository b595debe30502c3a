import { randomUUID } from 'node:crypto';
import { OperatorClient, startedTaskSchema } from '@switchyard/operator-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, ErrorBody } from '../support/client.ts';
import { type AdminStage, begin, fieldsOf, key, openAdminStage } from './support.ts';

const alice = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'echo' };
let stage: AdminStage;
beforeAll(async () => {
  stage = await openAdminStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function taskOfAlice(isEnded: boolean): Promise<string> {
  const acceptance = await stage.store.tasks.accept(alice, {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }] },
  });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  const { taskId } = acceptance;
  if (!isEnded) return taskId;
  const turn = await begin(stage.store, taskId);
  await stage.store.steps.begin(turn, 'step plan');
  await stage.store.steps.end(turn, 'step plan', '"planned"');
  await turn.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true });
  return taskId;
}

async function refused(taskId: string, body: object): Promise<Answer<ErrorBody>> {
  const response = await fetch(`${stage.adminUrl}/admin/tasks/${taskId}:rerun`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

test("an operator runs a task again with another message, and the agent sees the operator's name", async () => {
  const taskId = await taskOfAlice(true);
  const client = new OperatorClient({ url: stage.adminUrl, key });
  const body = { messageId: 'again', parts: [{ text: 'go slowly' }], fromStep: 'plan' };
  const started = await client.call(`/admin/tasks/${taskId}:rerun`, startedTaskSchema, { method: 'POST', body });
  const turn = await begin(stage.store, started.taskId);
  expect(turn.start.message).toMatchObject({ parts: [{ text: 'go slowly' }], referenceTaskIds: [taskId] });
  expect(turn.start.metadata).toEqual({ 'switchyard.operator': 'operator' });
  expect(turn.start.principal).toMatchObject({ tenant: 'acme', subject: 'alice' });
});

test('a task that cannot run again is refused, and the error names the field', async () => {
  const messageId = randomUUID();
  expect((await refused(await taskOfAlice(false), { messageId })).status).toBe(400);
  expect((await refused(randomUUID(), { messageId })).status).toBe(404);
  const ended = await taskOfAlice(true);
  expect(fieldsOf(await refused(ended, { messageId, fromStep: 'bake' }))).toEqual(['fromStep']);
  expect(fieldsOf(await refused(ended, { messageId, parts: [{ words: 'no' }] }))).not.toEqual([]);
  expect(fieldsOf(await refused(ended, {}))).toEqual(['messageId']);
});
