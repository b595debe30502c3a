import { randomUUID } from 'node:crypto';
import type { ListTasksResponse } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type ErrorBody, get, submit, userMessage } from './support/client.ts';
import { chunk, completed } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

function list<Body = ListTasksResponse>(query: Record<string, string>): Promise<Answer<Body>> {
  return get<Body>(`${stage.url}/tasks?${new URLSearchParams(query)}`);
}

describe('ListTasks', () => {
  it('returns all tasks of a context page by page, latest first', async () => {
    const contextId = randomUUID();
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c']) ids.unshift((await submit(stage.url, userMessage(text, { contextId }))).id);
    const first = (await list({ contextId, pageSize: '2' })).body;
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
    const second = (await list({ contextId, pageSize: '2', pageToken: first.nextPageToken })).body;
    expect(second).toMatchObject({ nextPageToken: '', pageSize: 1 });
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(ids);
  });

  it('refuses a page token that was truncated, changed or made with other filters', async () => {
    const contextId = randomUUID();
    for (const text of ['a', 'b']) await submit(stage.url, userMessage(text, { contextId }));
    const { nextPageToken: pageToken } = (await list({ contextId, pageSize: '1' })).body;
    const statusOf = async (query: Record<string, string>) => (await list(query)).status;
    expect(await statusOf({ contextId, pageToken })).toBe(200);
    expect(await statusOf({ contextId, pageToken: pageToken.slice(0, -4) })).toBe(400);
    expect(await statusOf({ contextId, pageToken: `${pageToken}AAAA` })).toBe(400);
    expect(await statusOf({ contextId, pageToken, status: 'TASK_STATE_WORKING' })).toBe(400);
    expect(await statusOf({ pageToken })).toBe(400);
  });

  it('returns the number of matching tasks, also if there are none', async () => {
    const { status, body } = await list({ contextId: 'empty' });
    expect([status, body]).toEqual([200, { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 }]);
  });

  it('filters by state', async () => {
    const contextId = randomUUID();
    const { id } = await submit(stage.url, userMessage('a', { contextId }));
    await submit(stage.url, userMessage('b', { contextId }));
    await (await stage.beginTurn(id)).publish(completed());
    const { body } = await list({ contextId, status: 'TASK_STATE_COMPLETED' });
    expect(body.tasks.map((task) => task.id)).toEqual([id]);
    expect(body.totalSize).toBe(1);
  });

  it('filters by the time of the status, also by a time that no task will reach', async () => {
    const contextId = randomUUID();
    const { status } = await submit(stage.url, userMessage('a', { contextId }));
    const found = async (statusTimestampAfter = ''): Promise<number> =>
      (await list({ contextId, statusTimestampAfter })).body.totalSize;
    const times = [status.timestamp, '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '2058-01-01T00:00:00Z'];
    expect(await Promise.all(times.map(found))).toEqual([1, 1, 1, 0]);
    expect(await Promise.all(['2060-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map(found))).toEqual([0, 0]);
  });

  it('returns artifacts only on request', async () => {
    const contextId = randomUUID();
    const { id } = await submit(stage.url, userMessage('a', { contextId }));
    const turn = await stage.beginTurn(id);
    await turn.publish(chunk('text', { append: false }));
    await turn.publish(completed());
    expect((await list({ contextId })).body.tasks[0]).not.toHaveProperty('artifacts');
    expect((await list({ contextId, includeArtifacts: 'true' })).body.tasks[0]?.artifacts).toHaveLength(1);
    expect((await list({ contextId, historyLength: '0' })).body.tasks[0]).not.toHaveProperty('history');
  });

  it.each([
    ['pageSize', '0'],
    ['pageSize', '101'],
    ['pageSize', 'ten'],
    ['pageToken', 'made up'],
    ['status', 'TASK_STATE_HAPPY'],
    ['historyLength', '-1'],
    ['statusTimestampAfter', 'yesterday'],
    ['includeArtifacts', 'maybe'],
  ])('names a wrong %s: %s', async (field, value) => {
    const { status, body } = await list<ErrorBody>({ [field]: value });
    expect(status).toBe(400);
    expect(body.error.details?.[1]?.fieldViolations?.map((violation) => violation.field)).toEqual([field]);
  });
});
