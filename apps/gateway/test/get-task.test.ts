import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, get, submit } from './support/client.ts';
import { completed, working } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

const read = (taskId: string, headers: Record<string, string> = {}) =>
  get<Task>(`${stage.url}/tasks/${taskId}`, headers);

describe('GetTask', () => {
  it('returns the task with its version as ETag', async () => {
    const { id } = await submit(stage.url);
    const { status, headers, body } = await read(id);
    expect([status, body.id]).toEqual([200, id]);
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  it('answers 304 for a known version, and the task once it has changed', async () => {
    const { id } = await submit(stage.url);
    const etag = (await read(id)).headers.get('etag') ?? '';
    const same = await read(id, { 'if-none-match': etag });
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, undefined, etag]);
    await (await stage.beginTurn(id)).publish(working());
    const changed = await read(id, { 'if-none-match': etag });
    expect([changed.status, changed.body.status.state]).toEqual([200, 'TASK_STATE_WORKING']);
  });

  it('answers HEAD with 304, too', async () => {
    const { id } = await submit(stage.url);
    const etag = (await read(id)).headers.get('etag') ?? '';
    const statusOf = async (known: string): Promise<number> =>
      (await fetch(`${stage.url}/tasks/${id}`, { method: 'HEAD', headers: { 'if-none-match': known } })).status;
    expect([await statusOf(etag), await statusOf('"another"')]).toEqual([304, 200]);
  });

  it('returns as much history as requested', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    await turn.publish(working('one'));
    await turn.publish(working('two'));
    const textsOf = async (query: string) => (await read(id + query)).body.history?.map(({ parts }) => parts[0]?.text);
    expect(await textsOf('')).toEqual(['hello', 'one', 'two']);
    expect(await textsOf('?historyLength=1')).toEqual(['two']);
    expect(await textsOf('?historyLength=0')).toBeUndefined();
  });

  it('with Prefer: wait waits for the next change', async () => {
    const { id } = await submit(stage.url);
    const etag = (await read(id)).headers.get('etag') ?? '';
    const waiting = read(id, { 'if-none-match': etag, prefer: 'wait=20' });
    await expect.poll(() => stage.store.feeds.size).toBe(1);
    await (await stage.beginTurn(id)).publish(working());
    expect((await waiting).body.status.state).toBe('TASK_STATE_WORKING');
  });

  it('waits at most MAX_POLL_WAIT_MS, then answers 304', async () => {
    const url = await stage.another({ maxPollWaitMs: 30 });
    const { id } = await submit(url);
    const etag = (await read(id)).headers.get('etag') ?? '';
    const { status } = await get(`${url}/tasks/${id}`, { 'if-none-match': etag, prefer: 'wait=20' });
    expect(status).toBe(304);
    const { body } = await get<Task>(`${url}/tasks/${id}`, { prefer: 'wait=20' });
    expect(body.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it('does not wait if the task has ended or the client has an older version', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    await turn.publish(working());
    expect((await read(id, { 'if-none-match': '"1"', prefer: 'wait=20' })).status).toBe(200);
    await turn.publish(completed());
    expect((await read(id, { prefer: 'wait=20' })).body.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('answers 404 for an unknown task, and for one of another agent', async () => {
    const { id } = await submit(`${stage.url}/agents/guest`);
    for (const path of [`/tasks/${id}`, '/tasks/nothing', `/agents/mute/tasks/${id}`]) {
      const { status, body } = await get<ErrorBody>(stage.url + path);
      expect([status, body.error.status]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await get<Task>(`${stage.url}/agents/guest/tasks/${id}`)).body.id).toBe(id);
  });

  it('names an invalid historyLength', async () => {
    const { id } = await submit(stage.url);
    for (const value of ['many', '-1', '1.5']) {
      const { status, body } = await get<ErrorBody>(`${stage.url}/tasks/${id}?historyLength=${value}`);
      expect(status).toBe(400);
      expect(body.error.details?.[1]?.fieldViolations?.[0]?.field).toBe('historyLength');
    }
  });
});
