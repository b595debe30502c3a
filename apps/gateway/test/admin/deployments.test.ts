import type { Task } from '@switchyard/protocol';
import { deploymentOf } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begun } from '../../../../tests/support/store/drive.ts';
import { until } from '../../../../tests/support/until.ts';
import { Deployments, sendAs, subjects } from '../deployments/support.ts';
import type { Answer, ErrorBody } from '../support/client.ts';
import { completed } from '../support/events.ts';
import { key } from './support.ts';

const placed = [
  { number: 0, share: 1 },
  { number: 1, share: 1 },
  { number: 2, share: 1, tenants: ['acme'] },
];
const admin = { host: '127.0.0.1', port: 0, key, hasConsole: false };
const deployments = new Deployments();
let url: string;
let ports: { readonly all: string; readonly without1: string };

beforeAll(async () => {
  for (const { number } of placed) await deployments.add(number);
  const all = await deployments.serve(placed, { admin });
  const without1 = await deployments.serve(placed, { admin, away: [1] });
  url = all.url;
  ports = { all: all.adminUrl ?? '', without1: without1.adminUrl ?? '' };
});

afterAll(() => deployments[Symbol.asyncDispose]());

async function ask<Body>(path: string, { verb = 'GET', port = ports.all } = {}): Promise<Answer<Body>> {
  const response = await fetch(port + path, { method: verb, headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

interface TaskPage {
  readonly tasks: readonly { readonly taskId: string }[];
  readonly totalSize: number;
  readonly nextPageToken: string;
}

const totalIn = async (number: number): Promise<number> =>
  (await ask<TaskPage>(`/admin/tasks?deployment=${number}`)).body.totalSize;
const sendEach = () => Promise.all(subjects.map((subject) => sendAs(url, subject)));

/** A task in deployment 1. */
async function taskIn1(): Promise<Task> {
  for (const subject of subjects) {
    const task = await sendAs(url, subject);
    if (deploymentOf(task.id) === 1) return task;
  }
  throw new Error('no principal is in deployment 1');
}

describe('An operator of several deployments', () => {
  it('finds a task by its id at any gateway, and the answer says where it is', async () => {
    const { id } = await taskIn1();
    expect(await ask(`/admin/tasks/${id}`)).toMatchObject({ status: 200, body: { taskId: id, deployment: 1 } });
    const found = await ask(`/admin/tasks?id=${id}`);
    expect(found.body).toMatchObject({ deployment: 1, tasks: [{ taskId: id }] });
    expect(await ask(`/admin/tasks/${id}:cancel`, { verb: 'POST' })).toMatchObject({ status: 200 });
    await expect
      .poll(() => ask<{ events: readonly object[] }>(`/admin/audit?object=${id}&what=admin`))
      .toMatchObject({ body: { events: [{ object: id, deployment: 1, outcome: 'ok' }] } });
  });

  it('is told the deployment of an id that this gateway does not have', async () => {
    const answer = await ask<ErrorBody>('/admin/tasks/9d3f8a52-6d70-8075-b1aa-0123456789ab');
    expect(answer.status).toBe(404);
    expect(answer.body.error.message).toBe('The id is of deployment 7, and this gateway has 0, 1, 2');
  });

  it('has an audit event of each deployment, also if the same is refused in all at once', async () => {
    const asked = [0, 1, 2].map((number) => ask(`/admin/agents/none:pause?deployment=${number}`, { verb: 'POST' }));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404, 404]);
    const audited = async (): Promise<unknown> => {
      const { body } = await ask<{ events: { deployment?: number }[] }>('/admin/audit?object=none');
      return body.events.map(({ deployment }) => deployment).sort();
    };
    await expect.poll(audited).toEqual([0, 1, 2]);
  });

  it('chooses the deployment of lists, which say which it is', async () => {
    const { id } = await taskIn1();
    for (const path of ['/admin/agents', '/admin/tasks', '/admin/overview', '/admin/audit', '/admin/workers'])
      for (const number of [0, 1, 2])
        expect((await ask<object>(`${path}?deployment=${number}`)).body).toMatchObject({ deployment: number });
    const lists = await Promise.all([0, 1].map((number) => ask(`/admin/tasks?deployment=${number}&pageSize=500`)));
    expect(lists.map(({ body }) => JSON.stringify(body).includes(id))).toEqual([false, true]);
    expect((await ask('/admin/tasks')).body).toMatchObject({ deployment: 0 });
    const wrong = await ask<ErrorBody>('/admin/tasks?deployment=3');
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringContaining('0, 1, 2')]);
  });

  it('gets the next page of a list only from its own deployment', async () => {
    for (const number of [0, 1]) while ((await totalIn(number)) < 2) await sendEach();
    const first = await ask<TaskPage>('/admin/tasks?deployment=1&pageSize=1');
    const token = encodeURIComponent(first.body.nextPageToken);
    const wrong = await ask<ErrorBody>(`/admin/tasks?deployment=0&pageSize=1&pageToken=${token}`);
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
      400,
      expect.stringContaining('is of deployment 1, and this request is about deployment 0'),
    ]);
    const next = await ask<TaskPage>(`/admin/tasks?deployment=1&pageSize=1&pageToken=${token}`);
    expect(next.body.tasks.map(({ taskId }) => deploymentOf(taskId))).toEqual([1]);
    expect(next.body.tasks).not.toEqual(first.body.tasks);
    expect((await ask('/admin/tasks?deployment=1&pageToken=abc')).status).toBe(400);
  });

  it('is told which deployments there are, and which do not answer', async () => {
    expect((await ask('/admin/me')).body).toMatchObject({ deployment: 0, deployments: [0, 1, 2] });
    const { body } = await ask<object>('/admin/overview', { port: ports.without1 });
    const answering = [0, 1, 2].map((number) => ({ number, isAnswering: number !== 1 }));
    expect(body).toMatchObject({ deployment: 0, deployments: answering });
    const away = await ask<ErrorBody>('/admin/agents?deployment=1', { port: ports.without1 });
    expect([away.status, away.body.error.message]).toEqual([503, 'Deployment 1 does not answer']);
  });
});

describe('A tenant of several deployments', () => {
  /** Ends a task of each principal. */
  async function tasksOfDefault(): Promise<readonly string[]> {
    const tasks = await Promise.all(subjects.map((subject) => sendAs(url, subject)));
    for (const { id } of tasks) await (await begun(deployments.storeOf(deploymentOf(id)), id)).publish(completed());
    return tasks.map(({ id }) => id);
  }

  async function exported(query: string, port = ports.all) {
    const path = `${port}/admin/tenants/default/export${query}`;
    const response = await fetch(path, { headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' } });
    const text = await response.text();
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    const ids: string[] = events.flatMap(({ lines = [] }) => lines.map((line: string) => JSON.parse(line).task.id));
    return { status: response.status, text, events, ids };
  }

  it('is exported from all, goes on where it ended, and says what is missing', async () => {
    const ids = await tasksOfDefault();
    expect(new Set(ids.map(deploymentOf))).toEqual(new Set([0, 1]));
    const whole = await exported('');
    expect(whole.ids).toEqual(expect.arrayContaining([...ids]));
    expect(new Set(whole.ids).size).toBe(whole.ids.length);
    const last = whole.events.at(-1);
    expect(last).toMatchObject({ isDone: true, total: whole.ids.length, done: whole.ids.length });
    const at = whole.events.findIndex(({ nextPageToken }) => nextPageToken.startsWith('1.'));
    const rest = await exported(`?pageToken=${encodeURIComponent(whole.events[at].nextPageToken)}`);
    expect(rest.ids).toEqual(whole.ids.filter((id) => deploymentOf(id) === 1));
    expect(rest.events.at(-1)).toMatchObject({ done: whole.ids.length, isDone: true });
    const some = await exported('', ports.without1);
    expect(some.ids).toEqual(whole.ids.filter((id) => deploymentOf(id) === 0));
    expect(some.text).toContain('Deployment 1 does not answer');
    const token = encodeURIComponent(whole.events[at].nextPageToken);
    const resumed = await exported(`?pageToken=${token}`, ports.without1);
    expect([resumed.status, JSON.parse(resumed.text).error.message]).toEqual([
      503,
      'Deployment 1 does not answer: its tasks, and those of later ones, are missing',
    ]);
    expect((await exported('?pageToken=7.0.x')).status).toBe(400);
    const own = (await exported('?deployment=0')).events.at(0);
    expect((await exported(`?deployment=0&pageToken=${own.nextPageToken}`)).status).toBe(200);
    const other = await exported(`?deployment=1&pageToken=${own.nextPageToken}`);
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('is of deployment 0')]);
    expect(new Set((await exported('?deployment=1')).ids)).toEqual(new Set(rest.ids));
  });

  it('is deleted in all, and is not complete while one does not answer', async () => {
    await tasksOfDefault();
    const path = '/admin/tenants/default';
    const partly = await ask(path, { verb: 'DELETE', port: ports.without1 });
    expect(partly.body).toMatchObject({ isComplete: false, notReached: [1] });
    expect(partly.body).not.toHaveProperty('deployment');
    // Another gateway may write later what it was asked before.
    const audited = async () =>
      (
        await ask<{ events: readonly { operation: string }[] }>('/admin/audit?object=default&what=admin')
      ).body.events.find(({ operation }) => operation === 'DELETE /admin/tenants/:id');
    const event = await until(audited, { what: 'the deletion is in the audit trail' });
    expect(event).not.toHaveProperty('deployment');
    expect((await exported('?deployment=0')).ids).toEqual([]);
    expect((await exported('?deployment=1')).ids).not.toEqual([]);
    let whole = await ask<{ readonly isComplete: boolean }>(path, { verb: 'DELETE' });
    while (whole.status === 200 && !whole.body.isComplete) whole = await ask(path, { verb: 'DELETE' });
    expect((await exported('')).ids).toEqual([]);
    expect((await ask(path, { verb: 'DELETE' })).status).toBe(404);
    expect((await ask(path, { verb: 'DELETE', port: ports.without1 })).body).toMatchObject({ notReached: [1] });
  });
});
