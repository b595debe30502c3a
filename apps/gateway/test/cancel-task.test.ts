import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type ErrorBody, post, submit } from './support/client.ts';
import { canceled, completed, working } from './support/events.ts';
import { rawRequest } from './support/raw-request.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

function cancel<Body = Task>(taskId: string, url = stage.url): Promise<Answer<Body>> {
  return post<Body>(`${url}/tasks/${taskId}:cancel`, {});
}

describe('CancelTask', () => {
  it('cancels a task that no worker has begun', async () => {
    const { id } = await submit(stage.url);
    const { status, body } = await cancel(id);
    expect([status, body.id, body.status.state]).toEqual([200, id, 'TASK_STATE_CANCELED']);
  });

  it('returns a canceled task when it is canceled again', async () => {
    const { id } = await submit(stage.url);
    await cancel(id);
    expect((await cancel(id)).body.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('waits for a running turn to stop', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    await turn.publish(working());
    const answer = cancel(id);
    await expect.poll(() => stage.store.feeds.size).toBe(1);
    await turn.publish(canceled);
    expect((await answer).body.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('returns the current task when the turn does not stop in time', async () => {
    const url = await stage.another({ cancelWaitMs: 20 });
    const { id } = await submit(stage.url);
    await (await stage.beginTurn(id)).publish(working());
    expect((await cancel(id, url)).body.status.state).toBe('TASK_STATE_WORKING');
  });

  it('refuses a task that has ended', async () => {
    const { id } = await submit(stage.url);
    await (await stage.beginTurn(id)).publish(completed());
    const { status, body } = await cancel<ErrorBody>(id);
    expect([status, body.error.details?.[0]?.reason]).toEqual([400, 'TASK_NOT_CANCELABLE']);
  });

  it('answers 404 for an unknown task', async () => {
    expect((await cancel('nothing')).status).toBe(404);
  });

  it('needs no body', async () => {
    const { id } = await submit(stage.url);
    const response = await fetch(`${stage.url}/tasks/${id}:cancel`, { method: 'POST' });
    expect(response.status).toBe(200);
  });

  it.each(['', 'Content-Type: application/json\r\n', 'Content-Type: text/plain\r\n'])(
    'accepts an empty chunked body, as some proxies send it: %j',
    async (type) => {
      const { id } = await submit(stage.url);
      expect((await cancelChunked(id, `${type}\r\n0\r\n\r\n`)).status).toBe(200);
    },
  );

  it('refuses a chunked body that is not JSON', async () => {
    const { id } = await submit(stage.url);
    const answer = await cancelChunked(id, 'Content-Type: text/plain\r\n\r\n2\r\n{}\r\n0\r\n\r\n');
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('CONTENT_TYPE_NOT_SUPPORTED')]);
  });
});

function cancelChunked(taskId: string, rest: string): ReturnType<typeof rawRequest> {
  const lines = [`POST /tasks/${taskId}:cancel HTTP/1.1`, 'Host: localhost', 'Connection: close'];
  return rawRequest(stage.url, `${lines.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n${rest}`);
}
