import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, get, type Sent, send, userMessage } from './support/client.ts';
import { acknowledged, completed } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

/** docs/conformance.md: where the gateway departs from the letter of the specification, a setting restores it. */
describe('A gateway with the strict settings', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage({
      gateway: { missingVersion: '0.3', acknowledgedIsAnswered: false, blockingWaitMs: Number.POSITIVE_INFINITY },
    });
  });

  afterAll(() => stage[Symbol.asyncDispose]());

  it('treats a request without a version as 0.3', async () => {
    expect((await get(`${stage.url}/tasks`)).status).toBe(400);
    expect((await get(`${stage.url}/tasks`, { 'a2a-version': '1.0' })).status).toBe(200);
    const { body } = await call(stage.url, 'ListTasks', {});
    expect(body).toMatchObject({ error: { code: -32009 } });
    const legacy = await call(stage.url, 'tasks/get', { id: 'nothing' });
    expect(legacy.body).toMatchObject({ error: { code: -32001 } });
  });

  it('holds a blocking call until the outcome, also if the agent acknowledges it', async () => {
    const named = { 'a2a-version': '1.0' };
    const message = userMessage('hello', { contextId: 'acknowledged' });
    const answer = call<{ result: Sent }>(stage.url, 'SendMessage', { message }, named);
    const taskId = await stage.taskIn('acknowledged');
    const turn = await stage.beginTurn(taskId);
    await turn.publish(acknowledged('I am on it'));
    await turn.publish(completed('done'));
    const { task } = (await answer).body.result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await get<Task>(`${stage.url}/tasks/${taskId}`, named)).body).toEqual(task);
  });
});

describe('A gateway with the defaults', () => {
  it('infers a missing version from the request, and ends a blocking call when the agent acknowledges it', async () => {
    await using stage = await openStage();
    const answer = send(stage.url, userMessage('hello', { contextId: 'released' }));
    const turn = await stage.beginTurn(await stage.taskIn('released'));
    await turn.publish(acknowledged('I am on it'));
    expect((await answer).body.task.status.state).toBe('TASK_STATE_WORKING');
  });
});
