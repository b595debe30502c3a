import { randomUUID } from 'node:crypto';
import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../../../tests/budgets/support/redis-info.ts';
import { startRedis, type TestRedis } from '../../../../tests/support/redis.ts';
import type { Binding } from '../support/bindings/outcome.ts';
import { overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { call, get, post, type Sent, userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

const keyOf = (name: string) => ({ 'x-api-key': `key-of-${name}-0123456789` });
const alice = keyOf('alice');
/** Of another tenant, of the same tenant, and with the same name in another tenant. */
const thieves = [keyOf('mallory'), keyOf('bob'), keyOf('namesake')];

const principals = [
  { key: alice['x-api-key'], subject: 'alice', tenant: 'acme', scopes: [] },
  { key: keyOf('bob')['x-api-key'], subject: 'bob', tenant: 'acme', scopes: [] },
  { key: keyOf('mallory')['x-api-key'], subject: 'mallory', tenant: 'evil', scopes: [] },
  { key: keyOf('namesake')['x-api-key'], subject: 'alice', tenant: 'evil', scopes: [] },
];
let stage: Stage;
let rpc: ReturnType<typeof overGrpc>;
let bindings: readonly Binding[];
let stolen: Task;
/** An unknown id. */
const nothing = randomUUID();

beforeAll(async () => {
  stage = await openStage({ gateway: { auth: { keys: principals }, grpc: { port: 0, publicAddress: 'auto' } } });
  rpc = overGrpc(await grpcAddressOf(stage.url));
  bindings = [overRest(stage.url), overJsonRpc(stage.url), rpc];
  for (let i = 0; i < 3; i++) stolen = await sendAs(alice, stolen?.contextId);
});

afterAll(async () => {
  rpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

async function sendAs(headers: Record<string, string>, contextId?: string): Promise<Task> {
  const config = { id: 'hook', url: 'https://example.com/hook' };
  const message = userMessage('mine', contextId === undefined ? {} : { contextId });
  const configuration = { returnImmediately: true, taskPushNotificationConfig: config };
  return (await post<Sent>(`${stage.url}/message:send`, { message, configuration }, headers)).body.task;
}

const json = { 'content-type': 'application/json' };
const resume = (id: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/resubscribe', params: { id } });

const configOf = (taskId: string) => ({ taskId, id: 'hook' });
const aboutTask: Readonly<Record<string, (id: string) => Record<string, unknown>>> = {
  SendMessage: (taskId) => ({ message: { ...userMessage('x', { taskId }), messageId: 'm' } }),
  SendStreamingMessage: (taskId) => ({ message: { ...userMessage('x', { taskId }), messageId: 'm' } }),
  GetTask: (id) => ({ id }),
  CancelTask: (id) => ({ id }),
  SubscribeToTask: (id) => ({ id }),
  CreateTaskPushNotificationConfig: (taskId) => ({ ...configOf(taskId), url: 'https://evil.example/hook' }),
  GetTaskPushNotificationConfig: configOf,
  ListTaskPushNotificationConfigs: (taskId) => ({ taskId }),
  DeleteTaskPushNotificationConfig: configOf,
};

describe("Another principal's task id", () => {
  it.each(Object.keys(aboutTask))('gets the same answer as an unknown one: %s in every binding', async (operation) => {
    const paramsFor = aboutTask[operation] ?? (() => ({}));
    for (const binding of bindings)
      for (const headers of thieves) {
        const [theirs, none] = await Promise.all(
          [stolen.id, nothing].map((id) => binding.invoke({ operation, params: paramsFor(id), headers })),
        );
        const text = JSON.stringify(theirs);
        expect([binding.name, text.replaceAll(stolen.id, nothing)]).toEqual([binding.name, JSON.stringify(none)]);
        expect(text).toContain('TASK_NOT_FOUND');
      }
  });

  it('gets the same answer as an unknown one on paths outside A2A, in 0.3 and for a broken stream', async () => {
    for (const thief of thieves) {
      const answersFor = async (id: string) => {
        const legacy = { ...thief, 'a2a-version': '0.3' };
        const lastEvent = { ...thief, 'last-event-id': '1' };
        const answers = [
          await (await fetch(`${stage.url}/tasks/${id}`, { method: 'DELETE', headers: thief })).text(),
          (await call(stage.url, 'tasks/get', { id }, thief)).body,
          await (await fetch(stage.url, { method: 'POST', headers: { ...thief, ...json }, body: resume(id) })).text(),
          (await get(`${stage.url}/v1/tasks/${id}`, legacy)).body,
          (await get(`${stage.url}/tasks/${id}:subscribe`, lastEvent)).body,
          (await get(`${stage.url}/tasks/${id}`, { ...thief, 'if-none-match': '*' })).body,
          (await get(`${stage.url}/conversations/${id}`, thief)).body,
        ];
        return JSON.stringify(answers).replaceAll(id, '<id>');
      };
      expect(await answersFor(stolen.id)).toEqual(await answersFor(nothing));
    }
    const { body } = await get<Task>(`${stage.url}/tasks/${stolen.id}`, alice);
    expect(body).toMatchObject({ id: stolen.id, status: { state: 'TASK_STATE_SUBMITTED' } });
    expect(body.history).toHaveLength(1);
  });
});

describe("For another principal's task id Redis", () => {
  const CALLS = 20;
  let redis: TestRedis;
  let apart: Stage;
  let id: string;

  beforeAll(async () => {
    redis = await startRedis();
    apart = await openStage({ gateway: { auth: { keys: principals } }, redisUrl: redis.url });
    const message = userMessage('mine');
    const request = { message, configuration: { returnImmediately: true } };
    id = (await post<Sent>(`${apart.url}/message:send`, request, alice)).body.task.id;
  });

  afterAll(async () => {
    await apart[Symbol.asyncDispose]();
    await redis.stop();
  });

  /** Number of calls of each command per request. */
  async function commandsFor(operation: string, of: string): Promise<Record<string, number>> {
    const binding = overJsonRpc(apart.url);
    await ask(redis.url, 'CONFIG RESETSTAT');
    const params = aboutTask[operation]?.(of) ?? {};
    for (let n = 0; n < CALLS; n++) await binding.invoke({ operation, params, headers: keyOf('mallory') });
    const stats = (await ask(redis.url, 'INFO commandstats')).matchAll(/cmdstat_(\S+?):calls=(\d+)/g);
    // The gateway's own periodic commands are rarer than one per request.
    const counts = [...stats].map(([, name, calls]) => [name, Math.round(Number(calls) / CALLS)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  it.each(Object.keys(aboutTask))('runs the same commands as for an unknown one: %s', async (operation) => {
    const [theirs, none] = [await commandsFor(operation, id), await commandsFor(operation, nothing)];
    expect(theirs).toEqual(none);
    expect(Object.keys(none).length).toBeGreaterThan(0);
  });
});

describe("Another principal's", () => {
  it('context lists nothing, and its page token shows nothing of its owner', async () => {
    const query = { contextId: stolen.contextId, pageSize: 1 };
    const own = await rpc.invoke({ operation: 'ListTasks', params: query, headers: alice });
    expect(own).toMatchObject({ result: { totalSize: 3, nextPageToken: expect.stringMatching(/./) } });
    const { nextPageToken: pageToken } = (own as { result: { nextPageToken: string } }).result;
    for (const binding of bindings)
      for (const headers of thieves) {
        const list = await binding.invoke({ operation: 'ListTasks', params: query, headers });
        expect(JSON.stringify(list)).not.toContain(stolen.id);
        const paged = await binding.invoke({ operation: 'ListTasks', params: { ...query, pageToken }, headers });
        expect(JSON.stringify(paged)).not.toContain('"history"');
        expect(JSON.stringify(paged)).not.toContain(stolen.id);
      }
  });

  it('messageId does not lead to its task', async () => {
    const message = userMessage('secret', { messageId: 'stolen-message-id' });
    const body = { message, configuration: { returnImmediately: true } };
    const first = await post<Sent>(`${stage.url}/message:send`, body, alice);
    for (const thief of thieves) {
      const { task } = (await post<Sent>(`${stage.url}/message:send`, body, thief)).body;
      expect(task.id).not.toBe(first.body.task.id);
    }
  });
});
