import { Credentials } from '@switchyard/access';
import { pageOf, scheduleReadingSchema } from '@switchyard/operator-api';
import { scheduleUri, type Task } from '@switchyard/protocol';
import { ScheduledTasks, ScheduleList } from '@switchyard/schedules';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { type AdminStage, begin, fieldsOf, openAdminStage } from './admin/support.ts';
import { card } from './support/agents.ts';
import { type ErrorBody, get, post, userMessage } from './support/client.ts';

// The schedules of clients at /schedules, and of all principals at /admin/schedules.

const keyOf = (name: string) => ({ 'x-api-key': `key-of-${name}-0123456789` });
const keys = [
  { subject: 'alice', scopes: [] },
  { subject: 'bob', scopes: [] },
  { subject: 'reader', scopes: ['read'] },
].map((one) => ({ ...one, tenant: 'acme', key: keyOf(one.subject)['x-api-key'] }));

let stage: AdminStage;
let restricted: Record<string, string>;

beforeAll(async () => {
  stage = await openAdminStage({}, { auth: { keys }, minCronIntervalMs: 1_000 });
  const { key } = await new Credentials(stage.store.inside).create({
    tenant: 'acme',
    subject: 'alice',
    scopes: [],
    agents: ['pizza'],
  });
  restricted = { 'x-api-key': key };
});

afterAll(() => stage[Symbol.asyncDispose]());

async function send(schedule: object, name = 'alice'): Promise<Task> {
  const message = userMessage('hello', { metadata: { [scheduleUri]: schedule } });
  const headers = { ...keyOf(name), 'a2a-extensions': scheduleUri };
  const { body } = await post<{ task: Task }>(`${stage.url}/message:send`, { message }, headers);
  return body.task;
}

const daily = { cron: '0 9 * * *', timeZone: 'Europe/Berlin' };
const at = (path: string): string => `${stage.url}/schedules${path}`;

interface Shown {
  readonly scheduleId: string;
  readonly [name: string]: unknown;
}

describe("A client's schedule", () => {
  it("is read only with the scopes that its agent's card requires, as its tasks are", async () => {
    const requirement = { schemes: { oauth: { list: ['cook'] } } };
    const chef = { id: 'chef', card: { ...card, securityRequirements: [requirement] } };
    await stage.store.registry.announce([{ ...chef, repliesWithMessage: false, concurrency: 1 }], 'kitchen');
    const tasks = `${stage.url}/agents/chef/tasks`;
    await until(async () => (await get(tasks, keyOf('alice'))).status === 200, { what: 'the gateway knows the chef' });
    const message = userMessage('hello', { metadata: { [scheduleUri]: daily } });
    const headers = { ...keyOf('alice'), 'a2a-extensions': scheduleUri };
    const sent = await post<{ task: Task }>(`${stage.url}/agents/chef/message:send`, { message }, headers);
    const { id } = sent.body.task;
    const asked = async (scopes: string[]) => {
      const { key } = await new Credentials(stage.store.inside).create({ tenant: 'acme', subject: 'alice', scopes });
      const urls = [tasks, at(`/${id}`)];
      return Promise.all(urls.map(async (url) => (await get(url, { 'x-api-key': key })).status));
    };
    expect([await asked(['read']), await asked(['read', 'cook'])]).toEqual([
      [403, 403],
      [200, 200],
    ]);
    await post(at(`/${id}:end`), {}, keyOf('alice'));
  });

  it('begins by the clock of Redis, whatever that of the gateway says', async () => {
    const beganMs = Date.now();
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    try {
      const { id, metadata } = await send({ cron: '* * * * * *', times: 1 });
      expect(Date.parse(Object(metadata?.[scheduleUri]).at)).toBeGreaterThan(beganMs - 1_000);
      await post(at(`/${id}:end`), {}, keyOf('alice'));
    } finally {
      clock.mockRestore();
    }
  });

  it('is listed, read, paused, resumed and ended by its id, which is that of its first task', async () => {
    const alice = keyOf('alice');
    const { id, contextId } = await send(daily);
    const expected = { scheduleId: id, contextId, agent: 'echo', state: 'active', ...daily, nextTaskId: id };
    const { body: list } = await get<{ schedules: Shown[]; totalSize: number }>(at(''), alice);
    expect(list.schedules.find(({ scheduleId }) => scheduleId === id)).toMatchObject(expected);
    expect(list.schedules[0]).not.toHaveProperty('tenant');
    expect((await get(at(`/${id}`), alice)).body).toMatchObject(expected);
    expect(await post(at(`/${id}:pause`), {}, alice)).toMatchObject({ status: 200, body: { state: 'paused' } });
    expect((await get<Shown>(at(`/${id}`), alice)).body).not.toHaveProperty('nextAt');
    expect(await post(at(`/${id}:resume`), {}, alice)).toMatchObject({ status: 200, body: { state: 'active' } });
    expect(await post(at(`/${id}:end`), {}, alice)).toMatchObject({ status: 200, body: expected });
    const { body } = await get<ErrorBody>(at(`/${id}`), alice);
    expect(body.error).toMatchObject({ code: 404, details: [{ metadata: { scheduleId: id } }] });
    const task = await get<Task>(`${stage.url}/tasks/${id}`, alice);
    expect(task.body.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('is ended after its first task has begun, by the id of any of its tasks', async () => {
    for (const pick of ['first', 'next'] as const) {
      const { id } = await send({ cron: '* * * * * *' });
      const { store } = stage;
      while (!(await new ScheduledTasks(store.inside).begin()).tasks.some(({ taskId }) => taskId === id));
      const { nextTaskId } = (await get<Shown>(at(`/${id}`), keyOf('alice'))).body;
      expect(nextTaskId).not.toBe(id);
      const ended = await post(at(`/${pick === 'first' ? id : nextTaskId}:end`), {}, keyOf('alice'));
      expect(ended).toMatchObject({ status: 200, body: { scheduleId: id } });
      expect((await new ScheduleList(store.inside).list({}, { pageSize: 9 })).items).toEqual([]);
    }
  });

  it('does not exist for others, nor for keys without its agent, and needs scopes', async () => {
    const { id } = await send(daily);
    for (const headers of [keyOf('bob'), restricted]) {
      expect((await get(at(''), headers)).body).toMatchObject({ schedules: [], totalSize: 0 });
      expect((await get(at(`/${id}`), headers)).status).toBe(404);
      for (const change of ['pause', 'resume', 'end'])
        expect((await post(at(`/${id}:${change}`), {}, headers)).status).toBe(404);
    }
    expect((await get(at(''), keyOf('reader'))).status).toBe(200);
    for (const change of ['pause', 'resume', 'end'])
      expect((await post(at(`/${id}:${change}`), {}, keyOf('reader'))).status).toBe(403);
    expect((await get(at(''))).status).toBe(401);
    expect((await get(at(`/${id}`), keyOf('alice'))).body).toMatchObject({ state: 'active' });
    await post(at(`/${id}:end`), {}, keyOf('alice'));
  });

  it('is found in pages, and wrong parameters are named', async () => {
    const ids = [(await send(daily)).id, (await send(daily)).id, (await send(daily)).id];
    const alice = keyOf('alice');
    const { body } = await get<{ schedules: Shown[]; nextPageToken: string }>(at('?pageSize=2'), alice);
    const rest = await get<{ schedules: Shown[] }>(at(`?pageSize=2&pageToken=${body.nextPageToken}`), alice);
    const found = [...body.schedules, ...rest.body.schedules].map(({ scheduleId }) => scheduleId);
    expect(found.toSorted()).toEqual(ids.toSorted());
    expect((await get<{ schedules: Shown[] }>(at('?agent=pizza'), alice)).body.schedules).toEqual([]);
    for (const [query, field] of [
      ['?pageSize=0', 'pageSize'],
      ['?pageToken=x', 'pageToken'],
      ['?state=paused', 'state'],
    ])
      expect(fieldsOf(await get(at(query ?? ''), alice))).toEqual([field]);
    for (const id of ids) await post(at(`/${id}:end`), {}, alice);
  });
});

it('A cancel of a task that has ended names the schedule that goes on', async () => {
  const { id } = await send({ cron: '* * * * * *' });
  const { store } = stage;
  while (!(await new ScheduledTasks(store.inside).begin()).tasks.some(({ taskId }) => taskId === id));
  const turn = await begin(store, id);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  const refused = await post<ErrorBody>(`${stage.url}/tasks/${id}:cancel`, {}, keyOf('alice'));
  expect(refused.body.error).toMatchObject({
    message: expect.stringContaining(`its schedule goes on: end schedule ${id}`),
    details: [{ reason: 'TASK_NOT_CANCELABLE', metadata: { taskId: id, scheduleId: id } }],
  });
  await post(at(`/${id}:end`), {}, keyOf('alice'));
  const ended = await post<ErrorBody>(`${stage.url}/tasks/${id}:cancel`, {}, keyOf('alice'));
  expect(ended.body.error.message).toBe('The task has ended already');
});

it('Operators list, pause, resume and end the schedules of all principals', async () => {
  const { id } = await send({ ...daily, times: 3 }, 'bob');
  const { body: list } = await stage.ask<{ schedules: Shown[] }>('/admin/schedules?tenant=acme&agent=echo');
  expect(pageOf('schedules', scheduleReadingSchema).parse(list)).toEqual(list);
  expect(list.schedules).toMatchObject([{ scheduleId: id, tenant: 'acme', subject: 'bob', times: 3 }]);
  expect((await stage.ask<{ schedules: Shown[] }>('/admin/schedules?agent=pizza')).body.schedules).toEqual([]);
  expect((await stage.ask(`/admin/schedules/${id}:pause`, 'POST')).body).toMatchObject({ state: 'paused' });
  expect((await stage.ask(`/admin/schedules/${id}`)).body).toMatchObject({ state: 'paused' });
  expect((await stage.ask(`/admin/schedules/${id}:resume`, 'POST')).body).toMatchObject({ state: 'active' });
  expect((await stage.ask(`/admin/schedules/${id}:end`, 'POST')).status).toBe(204);
  for (const verb of ['GET', 'POST']) {
    const gone = await stage.ask<ErrorBody>(`/admin/schedules/${id}${verb === 'GET' ? '' : ':end'}`, verb);
    expect([gone.status, gone.body.error.message]).toEqual([404, expect.stringContaining('No schedule goes on')]);
  }
});
