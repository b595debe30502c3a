import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type ErrorBody, get, openStream, post, type Sent, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

const alice = { 'x-api-key': 'key-of-alice-0123456789' };
const bob = { 'x-api-key': 'key-of-bob-0123456789' };

let stage: Stage;

beforeAll(async () => {
  const keyOf = (subject: string, tenant: string) => ({
    key: `key-of-${subject}-0123456789`,
    subject,
    tenant,
    scopes: [],
  });
  stage = await openStage({
    gateway: { auth: { keys: [keyOf('alice', 'acme'), keyOf('bob', 'initech')] } },
  });
});

afterAll(() => stage[Symbol.asyncDispose]());

const immediately = { returnImmediately: true };

/** Sends over REST. @returns the task's id */
async function sendTo(path: string, body: object = {}, headers: Record<string, string> = alice): Promise<string> {
  const request = { message: userMessage('hello'), configuration: immediately, ...body };
  const answer = await post<Sent>(`${stage.url}${path}/message:send`, request, headers);
  expect(answer.status).toBe(200);
  return answer.body.task.id;
}

async function statusOf(path: string, headers: Record<string, string> = alice): Promise<number> {
  return (await get(stage.url + path, headers)).status;
}

describe('A tenant that is the id of an agent', () => {
  it("selects the agent by path, parameter and JSON-RPC, as the agent's own URL does", async () => {
    const tasks = [
      await sendTo('/agents/guest'),
      await sendTo('/guest'),
      await sendTo('', { tenant: 'guest' }),
      await sendTo('/agents/guest/guest'),
    ];
    const rpc = { tenant: 'guest', message: userMessage('hello'), configuration: immediately };
    tasks.push((await call<{ result: Sent }>(stage.url, 'SendMessage', rpc, alice)).body.result.task.id);
    for (const id of tasks) {
      expect(await statusOf(`/agents/guest/tasks/${id}`)).toBe(200);
      expect(await statusOf(`/guest/tasks/${id}`)).toBe(200);
      expect(await statusOf(`/tasks/${id}?tenant=guest`)).toBe(200);
      expect(await statusOf(`/tasks/${id}`)).toBe(404);
    }
  });

  it('works for every operation, also for streams', async () => {
    const id = await sendTo('/guest');
    const { body } = await get<{ tasks: Task[] }>(`${stage.url}/guest/tasks`, alice);
    expect(body.tasks.map((task) => task.id)).toContain(id);
    const stream = await openStream(`${stage.url}/guest/tasks/${id}:subscribe`, { headers: alice });
    expect((await stream.next()).data.task?.id).toBe(id);
    stream.cut();
    const canceled = await post<Task>(`${stage.url}/guest/tasks/${id}:cancel`, {}, alice);
    expect(canceled.body.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('gets an error at the URL of another agent', async () => {
    expect(await statusOf('/agents/echo/guest/tasks')).toBe(404);
    expect(await statusOf('/agents/echo/tasks?tenant=guest')).toBe(404);
  });

  it('does not shadow other paths', async () => {
    expect(await statusOf('/agents')).toBe(200);
    expect(await statusOf('/tasks')).toBe(200);
    expect(await statusOf('/agents/guest/tasks')).toBe(200);
  });
});

describe("A tenant that is the caller's own", () => {
  it('selects no agent: the path does', async () => {
    const atRoot = await sendTo('/acme');
    expect(await statusOf(`/tasks/${atRoot}`)).toBe(200);
    const atGuest = await sendTo('/agents/guest/acme');
    expect(await statusOf(`/agents/guest/acme/tasks/${atGuest}`)).toBe(200);
    expect(await statusOf(`/guest/tasks/${atGuest}`)).toBe(200);
  });

  it('cannot be distinguished from an unknown one by other callers', async () => {
    const foreign = await get<ErrorBody>(`${stage.url}/acme/tasks`, bob);
    const unknown = await get<ErrorBody>(`${stage.url}/nobody/tasks`, bob);
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
    expect(foreign.body.error.details?.find(({ fieldViolations }) => fieldViolations)?.fieldViolations).toEqual([
      { field: 'tenant', description: 'is neither an agent of this gateway nor the tenant of the caller' },
    ]);
    const rpc = await call<ErrorBody>(stage.url, 'ListTasks', { tenant: 'acme' }, bob);
    expect(rpc.body.error).toMatchObject({ code: -32053, message: foreign.body.error.message });
  });

  it("does not reveal another caller's task", async () => {
    const id = await sendTo('/guest');
    expect(await statusOf(`/guest/tasks/${id}`, bob)).toBe(404);
  });
});

describe('A tenant in a request', () => {
  it('counts as unset if it is empty', async () => {
    expect(await statusOf('/tasks?tenant=')).toBe(200);
  });

  it('is refused if it is not a string', async () => {
    const { body } = await call<ErrorBody>(stage.url, 'ListTasks', { tenant: 7 }, alice);
    expect(body.error.code).toBe(-32602);
    expect(JSON.stringify(body)).toContain('"field":"tenant"');
  });

  it('is not revealed before the caller is authenticated', async () => {
    expect(await statusOf('/guest/tasks', {})).toBe(401);
    expect(await statusOf('/nobody/tasks', {})).toBe(401);
  });

  it('in the path takes precedence over the one in the body', async () => {
    const id = await sendTo('/guest', { tenant: 'echo' });
    expect(await statusOf(`/guest/tasks/${id}`)).toBe(200);
  });
});
