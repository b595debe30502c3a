import { randomUUID } from 'node:crypto';
import { scheduleUri, type Task } from '@switchyard/protocol';
import { deploymentOf } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begun } from '../../../../tests/support/store/drive.ts';
import type { Binding } from '../support/bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { call, get, openStream, post, userMessage } from '../support/client.ts';
import { ConsentWebhook } from '../support/consent-webhook.ts';
import { completed } from '../support/events.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { Deployments, headersOf, sendAs, subjects } from './support.ts';

const open = [
  { number: 0, share: 1 },
  { number: 1, share: 1 },
  { number: 2, share: 1, tenants: ['acme'] },
];
const deployments = new Deployments();
const grpcs: GrpcBinding[] = [];
let urls: readonly [string, string];

beforeAll(async () => {
  await deployments.add(0);
  await deployments.add(1, { shards: 4 });
  await deployments.add(2);
  urls = [await deployments.open(open), await deployments.open([...open].reverse())];
  for (const url of urls) grpcs.push(overGrpc(await grpcAddressOf(url)));
});

afterAll(async () => {
  for (const grpc of grpcs) grpc[Symbol.dispose]();
  await deployments[Symbol.asyncDispose]();
});

const bindings: readonly { readonly name: string; readonly at: (gateway: 0 | 1) => Binding }[] = [
  { name: 'REST', at: (n) => overRest(urls[n]) },
  { name: 'JSON-RPC', at: (n) => overJsonRpc(urls[n]) },
  { name: 'gRPC', at: (n) => grpcs[n] as GrpcBinding },
];

/** A principal of each deployment. */
async function everywhere(): Promise<readonly { readonly subject: string; readonly number: number }[]> {
  const found = new Map([[2, 'acme']]);
  for (const subject of subjects) found.set(deploymentOf((await sendAs(urls[0], subject)).id), subject);
  return [...found].map(([number, subject]) => ({ number, subject })).sort((a, b) => a.number - b.number);
}

async function resultOf<Result>(binding: Binding, subject: string, operation: string, params: object): Promise<Result> {
  const outcome = await binding.invoke({ operation, params: { ...params }, headers: headersOf(subject) });
  if ('error' in outcome) throw new Error(`${operation}: ${outcome.error.message}`);
  return outcome.result as Result;
}

describe('Tasks of several deployments', () => {
  it('are spread over principals, and those of a tenant are in its own deployment', async () => {
    expect((await everywhere()).map(({ number }) => number)).toEqual([0, 1, 2]);
    expect(deploymentOf((await sendAs(urls[1], 'acme')).id)).toBe(2);
    expect(deploymentOf((await sendAs(urls[1], 'acme')).contextId ?? '')).toBe(2);
  });

  it.each(bindings)(
    'are read, listed, followed, canceled and given webhooks at any gateway over $name',
    async ({ at }) => {
      for (const { subject, number } of await everywhere()) {
        const ask = <Result>(gateway: 0 | 1, operation: string, params: object) =>
          resultOf<Result>(at(gateway), subject, operation, params);
        const message = userMessage('hello');
        const configuration = { returnImmediately: true };
        const { task } = await ask<{ task: Task }>(0, 'SendMessage', { message, configuration });
        const { id, contextId } = task;
        expect(deploymentOf(id)).toBe(number);
        const again = await ask<{ task: Task }>(1, 'SendMessage', { message, configuration });
        expect(again.task.id).toBe(id);
        const sibling = { ...userMessage('more'), contextId };
        const other = await ask<{ task: Task }>(1, 'SendMessage', { message: sibling, configuration });
        expect(deploymentOf(other.task.id)).toBe(number);
        expect(await ask(1, 'GetTask', { id })).toMatchObject({ id });
        const { totalSize } = await ask<{ totalSize: number }>(1, 'ListTasks', { contextId });
        expect(totalSize).toBe(2);
        const config = { taskId: id, url: 'https://example.com/hook' };
        const made = await ask<{ id: string }>(1, 'CreateTaskPushNotificationConfig', config);
        expect(await ask(0, 'GetTaskPushNotificationConfig', { taskId: id, id: made.id })).toMatchObject(config);
        await ask(1, 'DeleteTaskPushNotificationConfig', { taskId: id, id: made.id });
        const stream = at(1).invoke({ operation: 'SubscribeToTask', params: { id }, headers: headersOf(subject) });
        const turn = await begun(deployments.storeOf(number), id);
        await turn.publish(completed());
        expect(await stream).toMatchObject({ result: expect.arrayContaining([]) });
        expect(await ask(1, 'GetTask', { id })).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
        expect(await ask(1, 'CancelTask', { id: other.task.id })).toMatchObject({
          status: { state: 'TASK_STATE_CANCELED' },
        });
      }
    },
  );

  it('are served to clients of 0.3 and over MCP, resumed by event id, and deleted', async () => {
    for (const { subject, number } of await everywhere()) {
      const headers = headersOf(subject);
      const message = { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: 'x' }] };
      const params = { message, configuration: { blocking: false } };
      const { body } = await call<{ result: { id: string } }>(urls[0], 'message/send', params, headers);
      const { id } = body.result;
      expect(deploymentOf(id)).toBe(number);
      const asked = await call<{ result: { id: string } }>(urls[1], 'tasks/get', { id }, headers);
      expect(asked.body.result.id).toBe(id);
      const named = { name: 'get_task', arguments: { agent: 'echo', taskId: id, waitSeconds: 0 } };
      const accept = { accept: 'application/json, text/event-stream' };
      const tool = await fetch(`${urls[1]}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...accept, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: named }),
      });
      expect(await tool.text()).toContain(id);
      await (await begun(deployments.storeOf(number), id)).publish(completed());
      const rest = await openStream(`${urls[1]}/tasks/${id}:subscribe?lastEventId=1`, { headers });
      expect((await rest.rest()).at(-1)?.data).toMatchObject({ statusUpdate: { taskId: id } });
      const gone = await fetch(`${urls[1]}/tasks/${id}`, { method: 'DELETE', headers });
      expect(gone.status).toBe(204);
      expect((await get(`${urls[0]}/tasks/${id}`, headers)).status).toBe(404);
    }
  });

  it('are nobody else’s, in whatever deployment', async () => {
    const task = await sendAs(urls[0], 'acme');
    expect((await get(`${urls[0]}/tasks/${task.id}`, headersOf(subjects[0] ?? ''))).status).toBe(404);
    expect((await get(`${urls[0]}/tasks/${randomUUID()}`, headersOf('acme'))).status).toBe(404);
  });

  it('cannot be put into another deployment by a context id with its number', async () => {
    const contextId = '9d3f8a52-6d70-8025-b1aa-0123456789ab';
    expect(deploymentOf(contextId)).toBe(2);
    const [other] = (await everywhere()).filter(({ number }) => number !== 2);
    const task = await sendAs(urls[0], other?.subject ?? '', userMessage('hello', { contextId }));
    expect(deploymentOf(task.id)).toBe(other?.number);
  });

  it('of schedules are listed, read and ended', async () => {
    for (const { subject, number } of await everywhere()) {
      const headers = { ...headersOf(subject), 'a2a-extensions': scheduleUri };
      const message = userMessage('later', { metadata: { [scheduleUri]: { cron: '0 9 * * *' } } });
      const sent = await post<{ task: Task }>(`${urls[0]}/message:send`, { message }, headers);
      const { id } = sent.body.task;
      expect(deploymentOf(id)).toBe(number);
      const { body } = await get<{ totalSize: number }>(`${urls[1]}/schedules`, headers);
      expect(body.totalSize).toBe(1);
      expect((await get(`${urls[1]}/schedules/${id}`, headers)).status).toBe(200);
      expect((await post(`${urls[1]}/schedules/${id}:end`, {}, headers)).status).toBe(200);
    }
  });
});

describe('A webhook that tasks of several deployments name', () => {
  it('is asked for its consent once', async () => {
    await using webhook = await new ConsentWebhook({ '/agrees': (res, token) => res.end(token) }).open();
    const policy = { allowHttp: true, allowHosts: ['127.0.0.0/8'] };
    const url = await deployments.open(open, {
      push: { policy, publicKeys: [], allowsClear: false, asksConsent: true },
    });
    for (const { subject } of await everywhere()) {
      const { id } = await sendAs(url, subject);
      const config = { taskId: id, url: webhook.at('/agrees') };
      const made = await resultOf<object>(overRest(url), subject, 'CreateTaskPushNotificationConfig', config);
      expect(made).toMatchObject({ taskId: id });
    }
    expect(webhook.requests).toHaveLength(1);
  });
});

/** Two deployments. Only the second one has the agent `newcomer`. */
async function withNewcomer(): Promise<Deployments> {
  const own = new Deployments();
  await own.add(0);
  const { registry } = await own.add(1);
  const agent = (await registry.list()).find(({ id }) => id === 'echo');
  if (!agent) throw new Error('no agent');
  await registry.announce([{ ...agent, id: 'newcomer' }], 'another');
  return own;
}

describe('An agent of some deployments only', () => {
  it('is offered to everyone, and refused for now to those whose deployment does not have it', async () => {
    await using own = await withNewcomer();
    const url = await own.open([
      { number: 0, share: 1 },
      { number: 1, share: 1 },
    ]);
    const statuses = await Promise.all(
      subjects.map(async (subject) => {
        const body = { message: userMessage('x'), configuration: { returnImmediately: true } };
        const { status } = await post(`${url}/agents/newcomer/message:send`, body, headersOf(subject));
        return [deploymentOf((await sendAs(url, subject)).id), status].join(' ');
      }),
    );
    expect(new Set(statuses)).toEqual(new Set(['0 503', '1 200']));
  });
});

describe('A deployment that is away when a gateway starts', () => {
  it('makes requests for its tasks 503, all others go on, and the gateway is ready', async () => {
    const tasks = await Promise.all(
      subjects.map(async (subject) => ({ subject, task: await sendAs(urls[0], subject) })),
    );
    const url = await deployments.open(open, { away: [1] });
    expect((await get(`${url}/readyz`)).status).toBe(200);
    for (const { subject, task } of tasks) {
      const isAway = deploymentOf(task.id) === 1;
      const read = await get(`${url}/tasks/${task.id}`, headersOf(subject));
      expect(read.status).toBe(isAway ? 503 : 200);
      if (isAway) expect(read.headers.get('retry-after')).toBe('1');
      expect((await get(`${url}/tasks`, headersOf(subject))).status).toBe(isAway ? 503 : 200);
      const message = { message: userMessage('x'), configuration: { returnImmediately: true } };
      expect((await post(`${url}/message:send`, message, headersOf(subject))).status).toBe(isAway ? 503 : 200);
    }
  });

  it('makes requests for agents that are perhaps only there 503, not 404', async () => {
    await using own = await withNewcomer();
    const placed = [
      { number: 0, share: 1 },
      { number: 1, share: 1 },
    ];
    const headers = headersOf(subjects[0] ?? '');
    const [whole, without] = [await own.open(placed), await own.open(placed, { away: [1] })];
    for (const path of ['/agents/newcomer/tasks', '/agents/newcomer/.well-known/agent-card.json', '/newcomer/tasks'])
      expect([path, (await get(`${without}${path}`, headers)).status]).toEqual([path, 503]);
    expect((await get(`${whole}/agents/nobody/tasks`, headers)).status).toBe(404);
  });
});
