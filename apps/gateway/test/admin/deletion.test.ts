import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type ErrorBody, get, submit } from '../support/client.ts';
import { openStage, type Stage } from '../support/stage.ts';

const keys = ['key-of-alice-0123', 'key-of-bob-456789'] as const;
let stage: Stage;

beforeAll(async () => {
  const [alice, bob] = keys.map((key, n) => ({ key, subject: `subject-${n}`, tenant: 'acme', scopes: [] }));
  if (!alice || !bob) throw new Error('no keys');
  stage = await openStage({ gateway: { auth: { keys: [alice, bob] } } });
});

afterAll(() => stage[Symbol.asyncDispose]());

async function remove(path: string, key: string = keys[0]): Promise<Answer<ErrorBody | undefined>> {
  const response = await fetch(stage.url + path, { method: 'DELETE', headers: { 'x-api-key': key } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

async function canceled(base = ''): Promise<string> {
  const headers = { 'x-api-key': keys[0], 'content-type': 'application/json' };
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hi' }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
  const sent = await fetch(`${stage.url}${base}/message:send`, { method: 'POST', headers, body });
  const { task } = (await sent.json()) as { task: { id: string } };
  await fetch(`${stage.url}${base}/tasks/${task.id}:cancel`, { method: 'POST', headers });
  return task.id;
}

describe('a client', () => {
  it('deletes its own ended task, at the agent of the task', async () => {
    for (const base of ['', '/agents/guest']) {
      const id = await canceled(base);
      expect(await remove(`${base}/tasks/${id}`)).toMatchObject({ status: 204, body: undefined });
      expect((await get(`${stage.url}${base}/tasks/${id}`, { 'x-api-key': keys[0] })).status).toBe(404);
      expect((await remove(`${base}/tasks/${id}`)).status).toBe(404);
    }
  });

  it("gets 404 for another caller's task, and at another agent", async () => {
    const id = await canceled();
    const answers = [await remove(`/tasks/${id}`, keys[1]), await remove(`/agents/guest/tasks/${id}`)];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 404, body: { error: { details: [{ reason: 'TASK_NOT_FOUND' }] } } });
    expect((await get(`${stage.url}/tasks/${id}`, { 'x-api-key': keys[0] })).status).toBe(200);
  });

  it('gets 404 for the name of a Redis key of a task', async () => {
    const id = await canceled();
    for (const key of ['e', 'i', 'w', 'd']) {
      expect((await remove(`/tasks/${id}:${key}`)).status).toBe(404);
      expect((await get(`${stage.url}/tasks/${id}:${key}`, { 'x-api-key': keys[0] })).status).toBe(404);
    }
  });

  it('must cancel a running task first', async () => {
    const open = await openStage();
    const { id } = await submit(open.url);
    const response = await fetch(`${open.url}/tasks/${id}`, { method: 'DELETE' });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('cancel it') } });
    await open[Symbol.asyncDispose]();
  });

  it('sees DELETE among the allowed methods', async () => {
    const response = await fetch(`${stage.url}/tasks/x`, { method: 'PUT' });
    expect(response.headers.get('allow')).toBe('GET, DELETE');
  });
});
