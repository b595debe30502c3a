import { taskDetailSchema } from '@switchyard/operator-api';
import { Ops } from '@switchyard/operators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginTurn } from '../../../../tests/support/store/drive.ts';
import { until } from '../../../../tests/support/until.ts';
import { submit, userMessage } from '../support/client.ts';
import { type AdminStage, begin, failAllAttempts, key, openAdminStage } from './support.ts';

let stage: AdminStage;

beforeAll(async () => {
  stage = await openAdminStage({ maxAttempts: 2 });
});

afterAll(() => stage[Symbol.asyncDispose]());

const detail = async (id: string, query = '') => {
  const { status, body } = await stage.ask(`/admin/tasks/${id}${query}`);
  expect(status).toBe(200);
  return taskDetailSchema.parse(body);
};
const finding = async (id: string): Promise<string> => (await detail(id)).diagnosis.finding;

describe('the diagnosis of a task', () => {
  it('says that it waits in the queue of a paused or running agent', async () => {
    const { id } = await submit(stage.url);
    expect((await detail(id)).diagnosis).toMatchObject({
      finding: 'queued',
      isStuck: false,
      text: 'The task is next in the queue of "echo"; 1 task waits.',
      since: expect.stringMatching(/Z$/),
      see: [{ kind: 'agent', id: 'echo' }],
    });
    await stage.ask('/admin/agents/echo:pause', 'POST');
    expect(await finding(id)).toBe('agent-paused');
    await stage.ask('/admin/agents/echo:resume', 'POST');
  });

  it('says that its tenant is over its share, if another tenant waits, too', async () => {
    const other = { principal: { tenant: 'other', subject: 'bob', scopes: [] }, agent: 'echo' };
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push((await submit(stage.url)).id);
    await stage.store.tasks.accept(other, { message: userMessage('theirs') });
    expect(await finding(ids.at(-1) ?? '')).toBe('tenant-over-share');
  });

  it('names its worker, alive or dead', async () => {
    const { id } = await submit(stage.url);
    const { store } = stage;
    const token = 'host-1:echo/0:1';
    await beginTurn(store, { taskId: id, token });
    const report = { agents: ['echo'], upForMs: 60_000, isDraining: false, turns: [] };
    await new Ops(store).workers.report('host-1', report);
    expect((await detail(id)).diagnosis).toMatchObject({
      finding: 'running',
      see: [{ kind: 'worker', id: 'host-1' }],
      since: expect.any(String),
    });
    await new Ops(store).workers.withdraw('host-1');
    expect(await finding(id)).toBe('worker-dead');
  });

  it('says that it waits for a person', async () => {
    const { id } = await submit(stage.url);
    const turn = await begin(stage.store, id);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    const { diagnosis } = await detail(id);
    expect(diagnosis).toMatchObject({ finding: 'waits-for-input', isStuck: false, actions: ['answer', 'cancel'] });
    expect(Date.parse(diagnosis.since ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(diagnosis.text).toMatch(/ Without an answer it is canceled at \d{4}-/);
  });

  it('says that it has failed and why, with its dead letter and its steps', async () => {
    const { id } = await submit(stage.url);
    await failAllAttempts(stage.store, id);
    await until(async () => (await finding(id)) === 'failed', { what: 'it has failed' });
    expect(await detail(id)).toMatchObject({
      diagnosis: { text: expect.stringMatching(/^The task failed \(worker-lost\): Worker \S+ stopped/) },
      reason: { kind: 'worker-lost' },
      deadLetter: true,
      steps: [],
      state: 'TASK_STATE_FAILED',
    });
  });

  it('comes with the timeline and the subscribers on request', async () => {
    const { id } = await submit(stage.url);
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    await fetch(`${stage.adminUrl}/admin/tasks/${id}/events`, { headers, signal: stop.signal });
    const { timeline } = await detail(id, '?timeline=true');
    stop.abort();
    expect(timeline?.entries.map(({ kind }) => kind)).toEqual(['accepted', 'queued', 'status']);
    expect(timeline?.subscribers).toMatchObject([{ kind: 'operator', seq: 1, behind: 0 }]);
  });

  it('comes with the contents on request', async () => {
    const { id } = await submit(stage.url, userMessage('hello'));
    expect((await detail(id, '?contents=true')).task).toMatchObject({ id, history: [{ parts: [{ text: 'hello' }] }] });
  });
});
