import type { ListTasksResponse, Message } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, openSendStream, send, userMessage } from './support/client.ts';
import { replied, working } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

/** A2A 3.1.1 and 3.1.2: an agent answers with a task, or with a message and without a task. */
describe('The caller of an agent that answers with a message', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage({ gateway: { messageHoldMs: 5_000 } });
  });

  afterAll(() => stage[Symbol.asyncDispose]());

  async function answer(contextId: string, agent?: string): Promise<string> {
    const taskId = await stage.taskIn(contextId, agent);
    await (await stage.beginTurn(taskId)).publish(replied('42'));
    return taskId;
  }

  async function expectNoTask(contextId: string, taskId: string, agent = ''): Promise<void> {
    const base = stage.url + agent;
    const { body } = await get<ListTasksResponse>(`${base}/tasks?contextId=${contextId}`);
    expect([body.tasks, body.totalSize]).toEqual([[], 0]);
    expect((await get(`${base}/tasks/${taskId}`)).status).toBe(404);
    expect((await fetch(`${base}/tasks/${taskId}:cancel`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${base}/tasks/${taskId}:subscribe`, { method: 'POST' })).status).toBe(404);
  }

  const text = ({ parts }: Message) => parts[0]?.text;

  it('gets the message, which names no task, and no task exists', async () => {
    const sent = send(stage.url, userMessage('?', { contextId: 'blocking' }));
    const taskId = await answer('blocking');
    const { message, task } = (await sent).body;
    expect([message && text(message), message?.contextId, message?.taskId, task]).toEqual([
      '42',
      'blocking',
      undefined,
      undefined,
    ]);
    await expectNoTask('blocking', taskId);
  });

  it('gets the same message when it repeats its own, whatever the operation', async () => {
    const question = userMessage('?', { contextId: 'again' });
    const first = send(stage.url, question);
    await answer('again');
    const { message } = (await first).body;
    expect(message).toBeDefined();
    expect((await send(stage.url, question)).body).toEqual({ message });
    expect((await send(stage.url, question, { returnImmediately: true })).body).toEqual({ message });
    const stream = await openSendStream(stage.url, question);
    expect((await stream.rest()).map(({ data }) => data)).toEqual([{ message }]);
  });

  it('waits for the message also with returnImmediately, if the agent declares repliesWithMessage', async () => {
    const contextId = 'immediate';
    const sent = send(`${stage.url}/agents/oracle`, userMessage('?', { contextId }), { returnImmediately: true });
    const taskId = await answer(contextId, 'oracle');
    expect(Object.keys((await sent).body)).toEqual(['message']);
    await expectNoTask(contextId, taskId, '/agents/oracle');
  });

  it('gets the task as soon as such an agent reports progress', async () => {
    const contextId = 'begun';
    const sent = send(`${stage.url}/agents/oracle`, userMessage('?', { contextId }), { returnImmediately: true });
    const turn = await stage.beginTurn(await stage.taskIn(contextId, 'oracle'));
    await turn.publish(working('One moment'));
    expect((await sent).body.task.status.state).toBe('TASK_STATE_WORKING');
  });

  it('gets the message as the only event of a stream, also if the agent does not declare it', async () => {
    const opened = openSendStream(stage.url, userMessage('?', { contextId: 'streamed' }));
    const taskId = await answer('streamed');
    const [only, ...others] = await (await opened).rest();
    expect(others).toEqual([]);
    expect(only?.data.message && text(only.data.message)).toBe('42');
    await expectNoTask('streamed', taskId);
  });

  it('sees no task while such an agent works, also after a disconnect, and gets the message on a retry', async () => {
    const [contextId, url] = ['in-flight', `${stage.url}/agents/oracle`];
    const question = userMessage('?', { contextId });
    const left = await openSendStream(url, question);
    const taskId = await stage.taskIn(contextId, 'oracle');
    left.cut();
    const turn = await stage.beginTurn(taskId);
    const retried = openSendStream(url, question);
    const { body } = await get<ListTasksResponse>(`${url}/tasks?contextId=${contextId}`);
    expect([body.tasks, body.totalSize]).toEqual([[], 0]);
    expect((await get(`${url}/tasks/${taskId}`)).status).toBe(404);
    await turn.publish(replied('42'));
    await expectNoTask(contextId, taskId, '/agents/oracle');
    expect((await (await retried).rest()).map(({ data }) => data.message && text(data.message))).toEqual(['42']);
    expect((await send(url, question)).body.message).toMatchObject({ parts: [{ text: '42' }] });
  });

  it('keeps a task that it got because such an agent took too long', async () => {
    const gateway = await stage.another({ blockingWaitMs: 20 });
    const contextId = 'too-long';
    const { task } = (await send(`${gateway}/agents/oracle`, userMessage('?', { contextId }))).body;
    const listed = async () =>
      (await get<ListTasksResponse>(`${stage.url}/agents/oracle/tasks?contextId=${contextId}`)).body.tasks;
    expect(await listed()).toMatchObject([{ id: task.id, status: { state: 'TASK_STATE_SUBMITTED' } }]);
    await (await stage.beginTurn(task.id)).publish(replied('42'));
    expect(await listed()).toMatchObject([{ id: task.id, status: { state: 'TASK_STATE_COMPLETED' } }]);
    expect((await get(`${stage.url}/agents/oracle/tasks/${task.id}`)).status).toBe(200);
  });

  it('keeps a task that it got before the message', async () => {
    const url = await stage.another({ blockingWaitMs: 20 });
    const { task } = (await send(url, userMessage('?'))).body;
    await (await stage.beginTurn(task.id)).publish(replied('42'));
    expect((await get(`${stage.url}/tasks/${task.id}`)).status).toBe(200);
  });
});
