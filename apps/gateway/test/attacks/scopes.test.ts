import { Credentials } from '@switchyard/access';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Action, actions } from '../../src/admission/scopes.ts';
import { operationNames } from '../../src/operations/operations.ts';
import { card } from '../support/agents.ts';
import type { Binding, Outcome } from '../support/bindings/outcome.ts';
import { overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { call, type ErrorBody, get, post, userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

const scopes = ['send', 'read', 'cancel', 'push', 'events'] as const;
const keyOf = (name: string) => `key-of-${name}-0123456789`;
const headersOf = (name: string) => ({ 'x-api-key': keyOf(name) });
const cardNeeds = (...alternatives: string[][]) => ({
  securityRequirements: alternatives.map((list) => ({ schemes: { oauth: { list } } })),
});

let stage: Stage;
let bindings: readonly Binding[];
let rpc: ReturnType<typeof overGrpc>;
let restricted: Record<string, string>;

beforeAll(async () => {
  const keys = [...scopes, 'chef', 'guest', 'all', 'admin', 'sned'].map((name) => ({
    key: keyOf(name),
    subject: 'alice',
    tenant: 'default',
    scopes: { chef: ['send', 'read', 'cook', 'serve'], guest: ['send', 'read', 'eat'], all: [] }[name] ?? [name],
  }));
  stage = await openStage({ gateway: { auth: { keys }, grpc: { port: 0, publicAddress: 'auto' } } });
  const { key } = await new Credentials(stage.store.inside).create({
    tenant: 'default',
    subject: 'alice',
    scopes: [],
    agents: ['echo'],
  });
  restricted = { 'x-api-key': key };
  rpc = overGrpc(await grpcAddressOf(stage.url));
  bindings = [overRest(stage.url), overJsonRpc(stage.url), rpc];
});

afterAll(async () => {
  rpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

const nothing = 'no-such-task';
const config = { taskId: nothing, url: 'https://example.com/hook' };

/** Parameters for an unknown task: a caller with the scope gets TaskNotFound. */
const paramsOf: Readonly<Record<(typeof operationNames)[number], Record<string, unknown>>> = {
  SendMessage: { message: userMessage('hello', { taskId: nothing }) },
  SendStreamingMessage: { message: userMessage('hello', { taskId: nothing }) },
  GetTask: { id: nothing },
  ListTasks: {},
  CancelTask: { id: nothing },
  SubscribeToTask: { id: nothing },
  CreateTaskPushNotificationConfig: config,
  GetTaskPushNotificationConfig: { taskId: nothing, id: '1' },
  ListTaskPushNotificationConfigs: { taskId: nothing },
  DeleteTaskPushNotificationConfig: { taskId: nothing, id: '1' },
  GetExtendedAgentCard: {},
};

const isDenied = (outcome: Outcome): boolean => 'error' in outcome && outcome.error.reason === 'PERMISSION_DENIED';

describe('A key with one scope', () => {
  it.each(scopes)('allows exactly the operations of %s, in every binding', async (scope) => {
    for (const binding of bindings) {
      const allowed: Action[] = [];
      for (const operation of operationNames) {
        const outcome = await binding.invoke({ operation, params: paramsOf[operation], headers: headersOf(scope) });
        if (!isDenied(outcome)) allowed.push(operation);
      }
      expect([binding.name, allowed]).toEqual([
        binding.name,
        operationNames.filter((name) => actions[name].scope === scope),
      ]);
    }
  });

  const legacyMessage = {
    kind: 'message',
    role: 'user',
    messageId: 'm',
    taskId: nothing,
    parts: [{ kind: 'text', text: 'x' }],
  };
  const legacy: readonly (readonly [string, object, Action])[] = [
    ['message/send', { message: legacyMessage }, 'SendMessage'],
    ['tasks/get', { id: nothing }, 'GetTask'],
    ['tasks/cancel', { id: nothing }, 'CancelTask'],
    ['tasks/pushNotificationConfig/list', { id: nothing }, 'ListTaskPushNotificationConfigs'],
  ];

  it.each(scopes)('%s allows nothing more with the methods and paths of 0.3', async (scope) => {
    for (const [method, params, action] of legacy) {
      const { body } = await call<{ error: { code: number } }>(stage.url, method, params, headersOf(scope));
      expect([method, body.error.code === -32052]).toEqual([method, actions[action].scope !== scope]);
    }
    const version = { 'a2a-version': '0.3', ...headersOf(scope) };
    const read = await get(`${stage.url}/v1/tasks/${nothing}`, version);
    expect(read.status).toBe(scope === 'read' ? 404 : 403);
    expect((await post(`${stage.url}/v1/tasks/${nothing}:cancel`, {}, version)).status).toBe(
      scope === 'cancel' ? 404 : 403,
    );
  });

  it.each(scopes)('%s allows nothing more on the paths outside A2A', async (scope) => {
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(stage.url + path, { method, headers: headersOf(scope) })).status;
    expect([
      await statusOf(`/tasks/${nothing}`, 'DELETE'),
      await statusOf('/agents'),
      await statusOf('/conversations?contextId=c'),
      await statusOf('/conversations/none'),
      await statusOf('/schedules'),
      await statusOf(`/schedules/${nothing}`),
    ]).toEqual([
      scope === 'cancel' ? 404 : 403,
      ...(scope === 'read' ? [200, 200, 404, 200, 404] : [403, 403, 403, 403, 403]),
    ]);
    expect([
      await statusOf(`/schedules/${nothing}:pause`, 'POST'),
      await statusOf(`/schedules/${nothing}:end`, 'POST'),
      await statusOf(`/schedules/${nothing}:resume`, 'POST'),
    ]).toEqual([scope === 'cancel' ? 404 : 403, scope === 'cancel' ? 404 : 403, scope === 'send' ? 404 : 403]);
  });

  it('is told the missing scope, and registers no webhook with its message', async () => {
    const body = { message: userMessage('x'), configuration: { taskPushNotificationConfig: config } };
    const inline = await post(`${stage.url}/message:send`, body, headersOf('send'));
    expect([inline.status, inline.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer realm="switchyard", error="insufficient_scope", scope="push"',
    ]);
  });
});

describe('A key with an unknown scope', () => {
  it('is told all scopes that would be accepted', async () => {
    const { status, headers, body } = await get<ErrorBody>(`${stage.url}/tasks`, headersOf('sned'));
    expect([status, headers.get('www-authenticate'), body.error.message]).toEqual([
      403,
      'Bearer realm="switchyard", error="insufficient_scope", scope="send read cancel push events"',
      'Not allowed without any of the scopes send read cancel push events',
    ]);
  });
});

describe('A key without scopes', () => {
  it('allows every operation; a key with the scope admin alone allows none', async () => {
    for (const binding of bindings)
      for (const operation of operationNames) {
        const params = paramsOf[operation];
        expect(isDenied(await binding.invoke({ operation, params, headers: headersOf('all') }))).toBe(false);
        expect(isDenied(await binding.invoke({ operation, params, headers: headersOf('admin') }))).toBe(true);
      }
  });
});

describe('A key for some agents without the one at the root', () => {
  const statusFor = async (agents: string[]) => {
    const { key } = await new Credentials(stage.store.inside).create({
      tenant: 'default',
      subject: 'alice',
      scopes: [],
      agents,
    });
    const answer = await get<{ name: string }>(`${stage.url}/extendedAgentCard`, { 'x-api-key': key });
    return [answer.status, answer.body.name];
  };

  it('gets the first of its agents there; if none of them exists, 404', async () => {
    expect(await statusFor(['mute', 'insider'])).toEqual([200, 'Insider']);
    expect((await statusFor(['no-such-agent']))[0]).toBe(404);
  });
});

describe('A key for some agents', () => {
  /** Of the same length, so that answers can be compared. */
  const [hidden, missing] = ['mute', 'nope'];

  async function answersFor(agent: string): Promise<unknown[]> {
    const base = `${stage.url}/agents/${agent}`;
    const message = userMessage('hello', { messageId: 'm' });
    const asked: [path: string, method: string, body?: object][] = [
      [`${base}/tasks`, 'GET'],
      [`${base}/tasks/${nothing}`, 'GET'],
      [`${base}/tasks/${nothing}`, 'DELETE'],
      [`${base}/message:send`, 'POST', { message }],
      [base, 'POST', { jsonrpc: '2.0', id: 1, method: 'ListTasks' }],
      [base, 'POST', { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: nothing } }],
      [`${base}/v1/tasks/${nothing}`, 'GET'],
      [`${stage.url}/tasks?tenant=${agent}`, 'GET'],
      [`${stage.url}/message:send`, 'POST', { message, tenant: agent }],
      [stage.url, 'POST', { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: { tenant: agent } }],
    ];
    const overHttp = asked.map(async ([url, method, body]) => {
      const headers = { ...restricted, ...(body && { 'content-type': 'application/json' }), 'x-request-id': 'r' };
      const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const { date: _, ...rest } = Object.fromEntries(answer.headers);
      return [answer.status, rest, await answer.text()];
    });
    const overRpc = rpc.invoke({ operation: 'ListTasks', params: { tenant: agent }, headers: restricted });
    return JSON.parse(JSON.stringify(await Promise.all([...overHttp, overRpc])).replaceAll(agent, '<agent>'));
  }

  it('gets the same answer for other agents as for unknown ones, byte for byte', async () => {
    const answers = await answersFor(hidden);
    expect(answers).toEqual(await answersFor(missing));
    expect(answers.slice(0, -1).map((answer) => (answer as [number])[0])).toEqual([
      ...[404, 404, 404, 404, 200, 200, 404, 404, 404, 200],
    ]);
  });

  it('lists and uses its own agents', async () => {
    const { body } = await get<{ agents: { id: string }[] }>(`${stage.url}/agents`, restricted);
    expect(body.agents.map(({ id }) => id)).toEqual(['echo']);
    expect((await get(`${stage.url}/agents/echo/tasks`, restricted)).status).toBe(200);
    expect((await get(`${stage.url}/tasks`, restricted)).status).toBe(200);
  });
});

describe('An agent whose card requires scopes', () => {
  it('accepts a caller with all scopes of one alternative, and its card says so', async () => {
    await stage.store.registry.announce(
      [
        {
          id: 'kitchen',
          card: {
            ...card,
            ...cardNeeds(['cook', 'serve'], ['eat']),
            skills: [
              { id: 'knives', name: 'Knives', description: 'Sharp', tags: [], ...cardNeeds(['cook']) },
              { id: 'spoons', name: 'Spoons', description: 'Blunt', tags: [] },
            ],
          },
          repliesWithMessage: false,
          concurrency: 1,
        },
      ],
      'kitchen',
    );
    const url = `${stage.url}/agents/kitchen`;
    await expect.poll(async () => (await get(`${url}/tasks`, headersOf('all'))).status).toBe(200);
    const statusFor = async (name: string) => (await get(`${url}/tasks`, headersOf(name))).status;
    expect([await statusFor('chef'), await statusFor('guest'), await statusFor('read')]).toEqual([200, 200, 403]);

    const sendWith = async (name: string, ofMessage: unknown, ofRequest?: unknown) => {
      const message = userMessage('x', { metadata: { skillId: ofMessage } });
      const metadata = { skillId: ofRequest };
      const body = { message, metadata, configuration: { returnImmediately: true } };
      return (await post(`${url}/message:send`, body, headersOf(name))).status;
    };
    expect([await sendWith('chef', 'knives'), await sendWith('guest', 'knives')]).toEqual([200, 403]);
    expect([await sendWith('guest', 'spoons'), await sendWith('guest', 'spoons', 'spoons')]).toEqual([200, 200]);
    expect([await sendWith('guest', 'spoons', 'knives'), await sendWith('guest', undefined, 'knives')]).toEqual([
      403, 403,
    ]);
    for (const unclear of ['', 'another', ['knives'], null, 7])
      expect([unclear, await sendWith('guest', unclear), await sendWith('guest', 'spoons', unclear)]).toEqual([
        unclear,
        400,
        400,
      ]);

    const { body } = await get<{ securityRequirements: unknown[] }>(`${url}/.well-known/agent-card.json`, {
      'a2a-version': '1.0',
    });
    expect(body.securityRequirements).toContainEqual({ schemes: { bearer: { list: ['cook', 'serve'] } } });
    expect(body.securityRequirements).toContainEqual({ schemes: { apiKey: { list: ['eat'] } } });
  });
});
