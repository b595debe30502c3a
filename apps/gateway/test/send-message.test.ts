import { randomUUID } from 'node:crypto';
import type { Task, TurnEvent } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type ErrorBody, get, post, type Sent, send, submit, userMessage } from './support/client.ts';
import { acknowledged, asked, authRequired, chunk, completed, replied, working } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

describe('SendMessage with returnImmediately', () => {
  it('returns the submitted task with its message in the history', async () => {
    const message = userMessage('hello');
    const { status, headers, body } = await send(stage.url, message, { returnImmediately: true });
    const { id, contextId } = body.task;
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/a2a+json');
    expect(headers.get('a2a-version')).toBe('1.0');
    expect(body.task).toEqual({
      id,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: expect.any(String) },
      history: [{ ...message, taskId: id, contextId }],
    });
  });

  it('returns no history if none is requested', async () => {
    const { body } = await send(stage.url, userMessage('hello'), { returnImmediately: true, historyLength: 0 });
    expect(body.task).not.toHaveProperty('history');
  });

  it('is the default with SEND_MODE=immediate', async () => {
    const url = await stage.another({ sendMode: 'immediate' });
    const { body } = await send(url, userMessage('hello'));
    expect(body.task.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it('returns the same task for a retry', async () => {
    const message = userMessage('once');
    const first = await submit(stage.url, message);
    const again = await submit(stage.url, message);
    expect(again.id).toBe(first.id);
    expect(again.history).toHaveLength(1);
  });

  it('continues a task that waits for input', async () => {
    const { id, contextId = '' } = await submit(stage.url);
    await (await stage.beginTurn(id)).publish(asked('Which one?'));
    const answer = userMessage('That one', { taskId: id, contextId });
    const { body } = await send(stage.url, answer, { returnImmediately: true, historyLength: 2 });
    expect(body.task).toMatchObject({ id, contextId, status: { state: 'TASK_STATE_SUBMITTED' } });
    expect(body.task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Which one?', 'That one']);
  });
});

describe('SendMessage, blocking', () => {
  const sendAndFind = async (
    text = 'hello',
    agent = 'echo',
  ): Promise<{ answer: Promise<Answer<Sent>>; taskId: string }> => {
    const contextId = randomUUID();
    const answer = send(`${stage.url}/agents/${agent}`, userMessage(text, { contextId }));
    return { answer, taskId: await stage.taskIn(contextId, agent) };
  };

  it('waits until the task is completed, and returns it with its artifacts', async () => {
    const { answer, taskId } = await sendAndFind();
    const turn = await stage.beginTurn(taskId);
    await turn.publish(working());
    await turn.publish(chunk('All is well', { append: false }));
    await turn.publish(completed());
    const { task } = (await answer).body;
    expect(task).toMatchObject({ id: taskId, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(task.artifacts).toEqual([{ artifactId: 'report', name: 'Report', parts: [{ text: 'All is well' }] }]);
  });

  describe('returns a task that its first message completes exactly as GetTask does:', () => {
    const everything: readonly TurnEvent[] = [
      working('I am on it'),
      chunk('All ', { append: false }),
      { ...chunk('is well', { append: true }), metadata: { pages: 1 } },
      { ...completed(), metadata: { author: 'nobody' } },
    ];
    const chunks = Array.from({ length: 30 }, (_, i) => chunk(`${i} `, { append: i > 0 }));
    const cases: { of: string; events: readonly TurnEvent[]; historyLength?: number }[] = [
      { of: 'the whole task', events: everything },
      { of: 'no history', events: everything, historyLength: 0 },
      { of: 'a part of the history', events: everything, historyLength: 2 },
      { of: 'many events', events: [...chunks, completed()] },
      { of: 'no event but its end', events: [completed()] },
    ];

    it.each(cases)('$of', async ({ events, historyLength }) => {
      const contextId = randomUUID();
      const answer = send(stage.url, userMessage('hello', { contextId }), {
        ...(historyLength !== undefined && { historyLength }),
      });
      const turn = await stage.beginTurn(await stage.taskIn(contextId));
      for (const event of events) await turn.publish(event);
      const { task } = (await answer).body;
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      const query = historyLength === undefined ? '' : `?historyLength=${historyLength}`;
      expect((await get<Task>(`${stage.url}/tasks/${task.id}${query}`)).body).toEqual(task);
    });

    it('another message that came in between', async () => {
      const { answer, taskId } = await sendAndFind();
      const turn = await stage.beginTurn(taskId);
      const { contextId = '' } = (await get<Task>(`${stage.url}/tasks/${taskId}`)).body;
      await submit(stage.url, userMessage('and this', { taskId, contextId }));
      await turn.publish(completed('first'));
      const { task } = (await answer).body;
      expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['hello', 'and this', 'first']);
      expect((await get<Task>(`${stage.url}/tasks/${taskId}`)).body).toEqual(task);
    });
  });

  it('returns when the agent asks for input', async () => {
    const { answer, taskId } = await sendAndFind();
    await (await stage.beginTurn(taskId)).publish(asked('Which one?'));
    expect((await answer).body.task.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { role: 'ROLE_AGENT', parts: [{ text: 'Which one?' }] },
    });
  });

  it('returns when the agent requires authorization, though the turn goes on', async () => {
    const { answer, taskId } = await sendAndFind();
    await (await stage.beginTurn(taskId)).publish(authRequired);
    expect((await answer).body.task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('returns the working task when the agent acknowledges the message', async () => {
    const { answer, taskId } = await sendAndFind();
    await (await stage.beginTurn(taskId)).publish(acknowledged('I am on it'));
    expect((await answer).body.task.status).toMatchObject({
      state: 'TASK_STATE_WORKING',
      message: { parts: [{ text: 'I am on it' }] },
    });
  });

  it('returns the plain message of an agent that creates no task', async () => {
    const { answer, taskId } = await sendAndFind('question', 'oracle');
    await (await stage.beginTurn(taskId)).publish(replied('42'));
    const { body } = await answer;
    expect(Object.keys(body)).toEqual(['message']);
    expect(body.message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: '42' }] });
  });

  it('waits for its own message, not for an earlier one', async () => {
    const { id, contextId = '' } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    const second = send(stage.url, userMessage('and this', { taskId: id, contextId }));
    await stage.untilHistory(id, 2);
    await turn.publish(completed('first'));
    const next = await stage.beginTurn(id);
    await next.publish(completed('second'));
    expect((await second).body.task.status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [{ text: 'second' }] },
    });
  });

  it('returns the current task when the time is up', async () => {
    const url = await stage.another({ blockingWaitMs: 50 });
    const { status, body } = await send(url, userMessage('hello'));
    expect(status).toBe(200);
    expect(body.task.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it('returns at once for a retry after the end', async () => {
    const message = userMessage('once');
    const { id } = await submit(stage.url, message);
    await (await stage.beginTurn(id)).publish(completed());
    const { body } = await send(stage.url, message);
    expect(body.task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  });
});

describe('SendMessage with an error', () => {
  const refusal = async (message: object, configuration: object = {}): Promise<Answer<ErrorBody>> =>
    post<ErrorBody>(`${stage.url}/message:send`, { message, configuration });

  it('gets TaskNotFound for an unknown task', async () => {
    const { status, body } = await refusal(userMessage('hello', { taskId: 'nothing' }));
    expect(status).toBe(404);
    expect(body.error.details?.[0]).toMatchObject({ reason: 'TASK_NOT_FOUND', metadata: { taskId: 'nothing' } });
  });

  it('is refused for a task that has ended', async () => {
    const { id } = await submit(stage.url);
    await (await stage.beginTurn(id)).publish(completed());
    const { status, body } = await refusal(userMessage('more', { taskId: id }));
    expect(status).toBe(400);
    expect(body.error.details?.[0]?.reason).toBe('UNSUPPORTED_OPERATION');
  });

  it("names a contextId that is not the task's", async () => {
    const { id } = await submit(stage.url);
    const { status, body } = await refusal(userMessage('more', { taskId: id, contextId: 'another' }));
    expect(status).toBe(400);
    expect(body.error.details?.[1]?.fieldViolations?.[0]?.field).toBe('message.contextId');
  });

  it('names the messageId of another message', async () => {
    const { messageId } = userMessage('');
    await submit(stage.url, userMessage('this', { messageId }));
    const { status, body } = await refusal(userMessage('that', { messageId }));
    expect(status).toBe(409);
    expect(body.error.details?.[1]?.fieldViolations?.[0]?.field).toBe('message.messageId');
  });

  it('gets TaskNotFound for a task of another agent', async () => {
    const { id } = await submit(`${stage.url}/agents/guest`);
    const { status } = await refusal(userMessage('more', { taskId: id }));
    expect(status).toBe(404);
  });
});
