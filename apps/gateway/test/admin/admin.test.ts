import { Ops } from '@switchyard/operators';
import { Deliveries, Webhooks } from '@switchyard/push';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { type ErrorBody, get, submit, userMessage } from '../support/client.ts';
import { type AdminStage, begin, failAllAttempts, fieldsOf, openAdminStage } from './support.ts';

let stage: AdminStage;

beforeAll(async () => {
  stage = await openAdminStage({ sweepAfterMs: 100, maxAttempts: 2, shards: 4 });
});

afterAll(() => stage[Symbol.asyncDispose]());

const modes = { supportedInterfaces: [], capabilities: {}, defaultInputModes: [], defaultOutputModes: [] };
const retiredCard = { name: 'Retired', description: 'Runs nowhere.', version: '1.0.0', skills: [], ...modes };
const idle = { agents: ['echo'], upForMs: 1_000, isDraining: false, turns: [] };

describe("the operators' port", () => {
  it('refuses every path without its key, unknown paths included', async () => {
    for (const path of ['/admin/agents', '/metrics', '/nothing']) {
      const without = await get<ErrorBody>(stage.adminUrl + path);
      expect(without).toMatchObject({ status: 401, body: { error: { status: 'UNAUTHENTICATED' } } });
      expect(without.headers.get('www-authenticate')).toContain('Bearer');
      expect((await get(stage.adminUrl + path, { 'x-api-key': 'another-key-entirely' })).status).toBe(401);
    }
  });

  it("is separate from the clients' port", async () => {
    expect((await get(`${stage.url}/admin/agents`)).status).toBe(404);
    expect((await get(`${stage.url}/metrics`)).status).toBe(404);
  });

  it('names every wrong parameter', async () => {
    const answer = await stage.ask<ErrorBody>('/admin/agents?pageSize=0&pageToken=x&size=3');
    expect(answer).toMatchObject({ status: 400, body: { error: { status: 'INVALID_ARGUMENT' } } });
    expect(fieldsOf(answer)).toEqual(['pageSize', 'size']);
    expect(fieldsOf(await stage.ask('/admin/dead-letters?pageToken=x'))).toEqual(['pageToken']);
    expect(fieldsOf(await stage.ask('/admin/tasks/x?contents=maybe'))).toEqual(['contents']);
    expect(fieldsOf(await stage.ask('/admin/workers/x:drain?giveBackAfterMs=-1', 'POST'))).toEqual(['giveBackAfterMs']);
  });

  it('names the allowed methods of a path, and answers 404 for unknown paths', async () => {
    const wrong = await stage.ask<ErrorBody>('/admin/tasks/x', 'PUT');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, DELETE');
    expect((await stage.ask('/admin/nothing')).status).toBe(404);
  });
});

interface WorkerList {
  readonly workers: readonly { id: string }[];
}

interface AgentList {
  readonly agents: readonly { id: string; paused: boolean; waiting: number; workers: number; longestTenant: number }[];
  readonly totalSize: number;
  readonly nextPageToken: string;
}

describe('agents', () => {
  it('and workers are found by the id of an agent', async () => {
    await new Ops(stage.store).workers.report('runs-echo', idle);
    await new Ops(stage.store).workers.report('runs-another', { ...idle, agents: ['another'] });
    const { body } = await stage.ask<AgentList>('/admin/agents?id=echo');
    expect([body.agents.map(({ id }) => id), body.totalSize]).toEqual([['echo'], 1]);
    expect((await stage.ask<AgentList>('/admin/agents?id=nobody')).body.agents).toEqual([]);
    const { body: found } = await stage.ask<WorkerList>('/admin/workers?agent=echo');
    const ids = found.workers.map(({ id }) => id);
    expect([ids.includes('runs-echo'), ids.includes('runs-another')]).toEqual([true, false]);
    await new Ops(stage.store).workers.withdraw('runs-echo');
    await new Ops(stage.store).workers.withdraw('runs-another');
  });

  it('are listed with their queues, page by page', async () => {
    await submit(stage.url);
    const ids: string[] = [];
    let pageToken = '';
    do {
      const { body } = await stage.ask<AgentList>(`/admin/agents?pageSize=2&pageToken=${pageToken}`);
      expect(body.agents.length).toBeLessThanOrEqual(2);
      expect(body.totalSize).toBeGreaterThan(4);
      ids.push(...body.agents.map(({ id }) => id));
      pageToken = body.nextPageToken;
    } while (pageToken);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids).toContain('echo');
    const { body } = await stage.ask<AgentList>('/admin/agents');
    const echo = body.agents.find(({ id }) => id === 'echo');
    expect(echo).toMatchObject({ paused: false, workers: 1, active: 0, delayed: 0 });
    expect(echo?.waiting).toBeGreaterThan(0);
    const tenants = await stage.ask<{ tenants: { tenant: string; waiting: number }[] }>('/admin/agents/echo/tenants');
    expect(tenants.body.tenants).toEqual([{ tenant: 'default', waiting: echo?.longestTenant }]);
    expect((await stage.ask('/admin/agents/nobody/tenants')).status).toBe(404);
  });

  it('are paused and resumed; a paused agent still accepts messages', async () => {
    expect(await stage.ask('/admin/agents/echo:pause', 'POST')).toMatchObject({ status: 200, body: { paused: true } });
    expect((await submit(stage.url)).status.state).toBe('TASK_STATE_SUBMITTED');
    expect(await stage.ask('/admin/agents/echo:resume', 'POST')).toMatchObject({ body: { paused: false } });
    expect((await stage.ask('/admin/agents/nobody:pause', 'POST')).status).toBe(404);
  });

  it('are forgotten when no worker runs them any more and nothing waits for them', async () => {
    const retired = { id: 'retired', card: retiredCard, repliesWithMessage: false, concurrency: 1 };
    await stage.store.registry.announce([retired], 'w-retired');
    expect((await stage.ask('/admin/agents/retired', 'DELETE')).status).toBe(409);
    await stage.store.registry.withdraw([retired], 'w-retired');
    expect((await stage.ask('/admin/agents/retired', 'DELETE')).status).toBe(204);
    const { body } = await stage.ask<AgentList>('/admin/agents');
    expect(body.agents.map(({ id }) => id)).not.toContain('retired');
    expect((await stage.ask('/admin/agents/retired', 'DELETE')).status).toBe(404);
    // Its messages would be lost.
    expect((await stage.ask('/admin/agents/echo', 'DELETE')).status).toBe(409);
  });

  it('leave a log line when they are paused', async () => {
    await stage.ask('/admin/agents/mute:pause', 'POST');
    expect(stage.log.some((line) => line.includes('"msg":"admin action"') && line.includes('mute:pause'))).toBe(true);
    expect(stage.log.join()).not.toContain('a-key-for-operators');
  });
});

describe('workers', () => {
  it('are listed, drained and resumed', async () => {
    await new Ops(stage.store).workers.report('w-1', idle);
    expect((await stage.ask('/admin/workers')).body).toMatchObject({
      workers: [{ id: 'w-1', agents: ['echo'], state: 'working', turns: [] }],
      totalSize: 1,
      nextPageToken: '',
    });
    const drained = await stage.ask('/admin/workers/w-1:drain?giveBackAfterMs=500', 'POST');
    expect(drained).toMatchObject({ status: 200, body: { state: 'draining', drain: { giveBackAfterMs: 500 } } });
    expect(await new Ops(stage.store).workers.report('w-1', idle)).toEqual({ giveBackAfterMs: 500, by: 'operator' });
    expect(await stage.ask('/admin/workers/w-1:undrain', 'POST')).toMatchObject({ body: { state: 'working' } });
    expect((await stage.ask('/admin/workers/nobody:drain', 'POST')).status).toBe(404);
  });
});

describe('turns', () => {
  it('in progress are listed with their worker', async () => {
    const { id: taskId } = await submit(stage.url);
    await begin(stage.store, taskId);
    await new Ops(stage.store).workers.report('w-2', { ...idle, turns: [{ taskId, epoch: 1, runsForMs: 50 }] });
    const { body } = await stage.ask('/admin/turns');
    expect(body).toMatchObject({ turns: [{ taskId, agent: 'echo', worker: 'w-2', epoch: 1, attempt: 1 }] });
    await new Ops(stage.store).workers.withdraw('w-2');
  });

  it('that are overdue are listed with the reason', async () => {
    const { id: taskId } = await submit(`${stage.url}/agents/guest`);
    const stuck = async () => {
      const { body } = await stage.ask<{ tasks: { taskId: string; reason: string }[] }>('/admin/stuck?pageSize=100');
      return body.tasks.find((task) => task.taskId === taskId);
    };
    expect((await until(stuck, { what: 'the task is overdue' })).reason).toBe('not-swept');
    await stage.ask('/admin/agents/guest:pause', 'POST');
    expect((await stuck())?.reason).toBe('agent-paused');
    await stage.ask('/admin/agents/guest:resume', 'POST');
    await until(
      async () => {
        await stage.store.outbox.sweep();
        return (await stuck())?.reason === 'queued';
      },
      { what: 'the sweeper finds nothing to repair' },
    );
    await stage.store.queue.remove('guest', taskId, 1);
    expect((await stuck())?.reason).toBe('job-missing');
    await stage.store.registry.withdraw([], 'test');
  });
});

describe('a dead letter', () => {
  it('is listed without its contents, read, retried and deleted', async () => {
    const poison = await submit(stage.url, userMessage('a secret poison', { messageId: 'poison-1' }));
    await failAllAttempts(stage.store, poison.id);
    const { body } = await stage.ask<{ deadLetters: unknown[] }>('/admin/dead-letters');
    expect(body.deadLetters).toMatchObject([
      { kind: 'turn', id: poison.id, agent: 'echo', messageId: 'poison-1', attempts: 2 },
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(await stage.ask(`/admin/dead-letters/${poison.id}?contents=true`)).toMatchObject({
      body: { message: { parts: [{ text: 'a secret poison' }] } },
    });
    const { body: retried } = await stage.ask<{ taskId: string }>(`/admin/dead-letters/${poison.id}:retry`, 'POST');
    expect(retried.taskId).not.toBe(poison.id);
    expect((await stage.ask(`/admin/dead-letters/${poison.id}`)).status).toBe(404);
    await failAllAttempts(stage.store, retried.taskId);
    expect((await stage.ask(`/admin/dead-letters/${retried.taskId}`, 'DELETE')).status).toBe(204);
    expect((await stage.ask(`/admin/dead-letters/${retried.taskId}`, 'DELETE')).status).toBe(404);
    expect((await stage.ask(`/admin/dead-letters/${retried.taskId}:retry`, 'POST')).status).toBe(404);
  });

  it('is listed page by page, latest first', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { id } = await submit(stage.url);
      await failAllAttempts(stage.store, id);
      ids.push(id);
    }
    interface DeadList {
      readonly deadLetters: { readonly id: string; readonly diedAt: string }[];
      readonly nextPageToken: string;
    }
    const first = await stage.ask<DeadList>('/admin/dead-letters?pageSize=3');
    expect(first.body.deadLetters).toHaveLength(3);
    const next = await stage.ask<DeadList>(`/admin/dead-letters?pageSize=3&pageToken=${first.body.nextPageToken}`);
    const seen = [...first.body.deadLetters, ...next.body.deadLetters];
    expect(seen.map(({ id }) => id).sort()).toEqual(ids.sort());
    const times = seen.map(({ diedAt }) => diedAt);
    expect(times).toEqual([...times].sort().reverse());
    expect(next.body.nextPageToken).toBe('');
  });

  it('can be that of a webhook: it is listed by kind, without address and credentials', async () => {
    const { id: taskId } = await submit(stage.url);
    const scope = { principal: { tenant: 'default', subject: 'anonymous', scopes: [] }, agent: 'echo' };
    const url = 'https://example.com/hook?secret=1';
    await new Webhooks(stage.store.inside).create(scope, taskId, { id: 'hook', url, token: 'token-of-hook' });
    const deliveries = new Deliveries(stage.store.inside);
    await stage.store.tasks.cancel(scope, taskId);
    const queue = await deliveries.open({ taskId, number: 1, job: 1, token: 'run' });
    if (typeof queue === 'string') throw new Error(queue);
    await queue.deadLetter({ origin: 'https://example.com', reason: 'it answered 500', attempts: 9 });
    const { body } = await stage.ask<{ kind: string; reason: string }>(`/admin/dead-letters/${taskId}.1`);
    expect(body).toMatchObject({ kind: 'webhook', taskId, configId: 'hook', reason: 'it answered 500', attempts: 9 });
    const listed = async (kind: string) => JSON.stringify((await stage.ask(`/admin/dead-letters${kind}`)).body);
    expect(await listed('')).toContain(`${taskId}.1`);
    expect(await listed('?kind=webhook')).toContain(`${taskId}.1`);
    expect(await listed('?kind=turn')).not.toContain(`${taskId}.1`);
    expect(fieldsOf(await stage.ask('/admin/dead-letters?kind=task'))).toEqual(['kind']);
    expect(JSON.stringify(body)).not.toMatch(/secret|token-of-hook/);
    expect(await stage.ask(`/admin/dead-letters/${taskId}.1:retry`, 'POST')).toMatchObject({
      status: 200,
      body: { taskId },
    });
    expect((await stage.ask(`/admin/dead-letters/${taskId}.1`)).status).toBe(404);
  });
});

describe('a task', () => {
  it('is shown as stored, with its contents only on request', async () => {
    const { id } = await submit(stage.url, userMessage('something private'));
    const { body } = await stage.ask(`/admin/tasks/${id}`);
    expect(body).toMatchObject({
      taskId: id,
      agent: 'echo',
      tenant: 'default',
      subject: 'anonymous',
      state: 'TASK_STATE_SUBMITTED',
      messagesAccepted: 1,
      inbox: 1,
      job: 1,
      jobState: 'waiting',
    });
    expect(JSON.stringify(body)).not.toContain('private');
    const { body: whole } = await stage.ask(`/admin/tasks/${id}?contents=true`);
    expect(whole).toMatchObject({ task: { id, history: [{ parts: [{ text: 'something private' }] }] } });
  });

  it('is canceled, then deleted with all its keys', async () => {
    const { id } = await submit(stage.url);
    const live = await stage.ask<ErrorBody>(`/admin/tasks/${id}`, 'DELETE');
    expect(live).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('cancel it') } } });
    expect(await stage.ask(`/admin/tasks/${id}:cancel`, 'POST')).toMatchObject({
      status: 200,
      body: { state: 'TASK_STATE_CANCELED', isTerminal: true },
    });
    expect((await stage.ask<ErrorBody>(`/admin/tasks/${id}:cancel`, 'POST')).status).toBe(200);
    expect((await stage.ask(`/admin/tasks/${id}`, 'DELETE')).status).toBe(204);
    expect((await get(`${stage.url}/tasks/${id}`)).status).toBe(404);
    for (const verb of ['GET', 'DELETE'])
      expect((await stage.ask<ErrorBody>(`/admin/tasks/${id}`, verb)).status).toBe(404);
  });

  it('is found only by its id: the name of a Redis key gets 404', async () => {
    const { id } = await submit(stage.url);
    for (const name of [`${id}:e`, 'x', `${id}%00`])
      expect(await stage.ask<ErrorBody>(`/admin/tasks/${name}`)).toMatchObject({
        status: 404,
        body: { error: { details: [{ reason: 'TASK_NOT_FOUND' }] } },
      });
  });
});
