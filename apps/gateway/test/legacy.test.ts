import { randomUUID } from 'node:crypto';
import type { AgentCard } from '@switchyard/protocol';
import { Webhooks } from '@switchyard/push';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type ErrorBody, get, openStream, post, submit, userMessage } from './support/client.ts';
import { asked, completed, working } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

// Requests that no SDK of version 0.3 sends. Its clients are tested in tests/interop.

interface LegacyTask {
  readonly kind: string;
  readonly id: string;
  readonly status: { readonly state: string };
}

interface LegacyError {
  readonly code: number;
  readonly message: string;
  /** Only over REST. */
  readonly type?: string;
}

const cardPath = '/.well-known/agent-card.json';
const key = 'key-of-alice-0123456789';
const auth = { keys: [{ key, subject: 'alice', tenant: 'default', scopes: [] }] } as const;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ gateway: { maxBodyBytes: 10_000, grpc: { port: 0, publicAddress: 'auto' } } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const message = (given: object = {}) => ({
  kind: 'message',
  messageId: randomUUID(),
  role: 'user',
  parts: [{ kind: 'text', text: 'hello' }],
  ...given,
});

const at = (version: string) => ({ 'a2a-version': version });

describe('The agent card', () => {
  it('is for both versions if its reader names none', async () => {
    const { body, headers } = await get<Record<string, unknown>>(stage.url + cardPath);
    expect(headers.get('vary')).toContain('A2A-Version');
    expect(body).toMatchObject({
      name: 'Echo',
      supportedInterfaces: expect.arrayContaining([
        { url: stage.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ]),
      protocolVersion: '0.3.0',
      url: stage.url,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ transport: 'JSONRPC' }, { transport: 'HTTP+JSON' }, { transport: 'GRPC' }],
    });
  });

  it('is for 1.0 only if its reader names 1.0 in the header or the query', async () => {
    const byHeader = await get<AgentCard>(stage.url + cardPath, at('1.0'));
    const byQuery = await get<AgentCard>(`${stage.url}${cardPath}?A2A-Version=1.0`);
    for (const { body } of [byHeader, byQuery]) expect(body).not.toHaveProperty('url');
  });

  it('varies with the version, for caches', async () => {
    const [pure, both] = [await get(stage.url + cardPath, at('1.0')), await get(stage.url + cardPath)];
    expect(pure.headers.get('etag')).not.toBe(both.headers.get('etag'));
  });

  it('describes the authentication for both versions', async () => {
    const url = await stage.another({ auth });
    const { body } = await get<Record<string, unknown>>(url + cardPath);
    expect(body).toMatchObject({
      securitySchemes: {
        apiKey: { apiKeySecurityScheme: { location: 'header' }, type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' }, type: 'http', scheme: 'Bearer' },
      },
      security: [{ apiKey: [] }, { bearer: [] }],
    });
  });

  it('has no gRPC interface of 0.3 for agents that 0.3 cannot name', async () => {
    const { body } = await get<{ additionalInterfaces: object[] }>(`${stage.url}/agents/oracle${cardPath}`);
    expect(body.additionalInterfaces).toEqual([
      { url: `${stage.url}/agents/oracle`, transport: 'JSONRPC' },
      { url: `${stage.url}/agents/oracle`, transport: 'HTTP+JSON' },
    ]);
  });
});

describe('The version of a request', () => {
  const rpc = (method: string, headers = {}) => call<Partial<ErrorBody>>(stage.url, method, { id: 'nothing' }, headers);

  it.each([{}, at('0.3'), at('0.3.0'), at('')])('is 0.3 for a 0.3 method with %j', async (headers) => {
    const answer = await rpc('tasks/get', headers);
    expect([answer.body.error?.code, answer.headers.get('a2a-version')]).toEqual([-32001, '0.3']);
  });

  it('is 1.0 for a 0.3 method if it names 1.0: the method is unknown', async () => {
    expect((await rpc('tasks/get', at('1.0'))).body.error?.code).toBe(-32601);
  });

  it('is refused with VersionNotSupported if it is unknown', async () => {
    expect((await rpc('tasks/get', at('0.2'))).body.error?.code).toBe(-32009);
    expect((await rpc('GetTask', at('0.3'))).body.error?.code).toBe(-32009);
  });

  it('is 0.3 for paths below /v1', async () => {
    const answer = await get<LegacyError>(`${stage.url}/v1/tasks/nothing`);
    expect([answer.status, answer.body.code, answer.headers.get('a2a-version')]).toEqual([404, -32001, '0.3']);
    const asked = await get<ErrorBody>(`${stage.url}/v1/tasks/nothing`, at('1.0'));
    expect([asked.status, asked.body.error.status]).toEqual([404, 'NOT_FOUND']);
  });

  it('decides about 304: 0.3 has no ETag, and gets the task', async () => {
    const { id } = await submit(stage.url);
    const etag = (await get(`${stage.url}/tasks/${id}`)).headers.get('etag') ?? '';
    const { status, body } = await get<LegacyTask>(`${stage.url}/v1/tasks/${id}`, { 'if-none-match': etag });
    expect([status, body.id]).toEqual([200, id]);
  });

  it('is always 1.0 if 0.3 is switched off', async () => {
    const url = await stage.another({ legacyV03: false, grpc: { port: 0, publicAddress: 'auto' } });
    expect((await call<ErrorBody>(url, 'tasks/get', { id: 'nothing' })).body.error.code).toBe(-32601);
    expect((await get<ErrorBody>(`${url}/v1/tasks/nothing`)).body.error.status).toBe('NOT_FOUND');
    const { body, headers } = await get(url + cardPath);
    expect(body).not.toHaveProperty('url');
    expect(headers.get('vary')).toBe('Host');
  });
});

describe('A 0.3 message', () => {
  it.each([undefined, {}, { blocking: null }])(
    'waits for the agent with configuration %j over JSON-RPC',
    async (configuration) => {
      const contextId = randomUUID();
      const answer = call<{ result: LegacyTask }>(stage.url, 'message/send', {
        message: message({ contextId }),
        ...(configuration && { configuration }),
      });
      const turn = await stage.beginTurn(await stage.taskIn(contextId));
      await turn.publish(completed());
      expect((await answer).body.result.status.state).toBe('completed');
    },
  );

  it('does not wait if it says so', async () => {
    const params = { message: message(), configuration: { blocking: false } };
    const { body } = await call<{ result: LegacyTask }>(stage.url, 'message/send', params);
    expect(body.result).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
  });

  it.each([{}, { message: 3 }, { message: { messageId: 'x', parts: 3 } }, { message: { messageId: 'x' } }])(
    'gets %j when it is invalid, without internal details',
    async (params) => {
      const { body } = await call<ErrorBody>(stage.url, 'message/send', params);
      expect(body.error.code).toBe(-32602);
      expect(body.error.message).not.toMatch(/undefined|not a function/);
    },
  );

  const file = (given: unknown): object => message({ parts: [{ kind: 'file', file: given }] });

  it.each<[method: string, params: object, fields: string[]]>([
    ['message/send', {}, ['message']],
    [
      'message/send',
      { message: message({ messageId: undefined, role: 'me', parts: 3 }) },
      ['message.messageId', 'message.role', 'message.parts'],
    ],
    ['message/send', { message: file(undefined) }, ['message.parts[0].file']],
    ['message/send', { message: file({}) }, ['message.parts[0].file']],
    ['message/send', { message: file({ bytes: 3 }) }, ['message.parts[0].file.bytes']],
    ['message/send', { message: file({ bytes: 'not base64!' }) }, ['message.parts[0].file.bytes']],
    [
      'message/stream',
      { message: message({ parts: [{ kind: 'image' }, { kind: 'text' }, null] }) },
      ['message.parts[0].kind', 'message.parts[1].text', 'message.parts[2]'],
    ],
    ['message/send', { message: message({ extensions: 3 }) }, ['message.extensions']],
    ['message/send', { message: message(), configuration: [] }, ['configuration']],
    ['message/send', { message: message(), configuration: 'x' }, ['configuration']],
    [
      'message/send',
      { message: message(), configuration: { acceptedOutputModes: 3, blocking: 'no' } },
      ['configuration.acceptedOutputModes', 'configuration.blocking'],
    ],
    [
      'message/send',
      { message: message(), configuration: { pushNotificationConfig: {} } },
      ['configuration.pushNotificationConfig.url'],
    ],
    ['tasks/get', {}, ['id']],
    ['tasks/pushNotificationConfig/set', { pushNotificationConfig: 3 }, ['taskId', 'pushNotificationConfig']],
    ['tasks/pushNotificationConfig/list', { id: 3 }, ['id']],
    ['tasks/pushNotificationConfig/delete', { id: 'x' }, ['pushNotificationConfigId']],
  ])('is refused with each wrong field: %s %j', async (method, params, fields) => {
    const { body } = await call<ErrorBody>(stage.url, method, params);
    expect(body.error.code).toBe(-32602);
    const named = body.error.data?.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
    expect(named?.toSorted()).toEqual(fields.toSorted());
  });

  it('may have empty text, and null for unset fields', async () => {
    const parts = [{ kind: 'text', text: '', metadata: null }];
    const configuration = { blocking: false, acceptedOutputModes: null, pushNotificationConfig: null };
    const params = { message: message({ parts, extensions: null }), configuration };
    const { body } = await call<{ result: LegacyTask }>(stage.url, 'message/send', params);
    const read = { id: body.result.id, historyLength: null };
    expect((await call<object>(stage.url, 'tasks/get', read)).body).toHaveProperty('result.history.length', 1);
  });

  it('is refused over REST if it is too large or no JSON', async () => {
    const large = await post<LegacyError>(`${stage.url}/v1/message:send`, { message: { text: 'x'.repeat(10_001) } });
    expect([large.status, large.body.code]).toEqual([413, -32055]);
    const broken = await post<LegacyError>(`${stage.url}/v1/message:send`, '{"message":');
    expect([broken.status, broken.body.code]).toEqual([400, -32700]);
  });

  it('gets 200 over REST', async () => {
    const request = { message: { message_id: randomUUID(), role: 'ROLE_USER', content: [{ text: 'hello' }] } };
    const answer = await post<{ task: LegacyTask }>(`${stage.url}/v1/message:send`, {
      ...request,
      configuration: { blocking: false },
    });
    expect([answer.status, answer.body.task.status.state]).toEqual([200, 'TASK_STATE_SUBMITTED']);
  });

  it('gets an error over REST with the name that the Python SDK expects', async () => {
    const typeOf = async (path: string, body: unknown) => (await post<LegacyError>(stage.url + path, body)).body.type;
    expect(await typeOf('/v1/tasks/nothing:cancel', {})).toBe('TaskNotFoundError');
    expect(await typeOf('/v1/message:send', {})).toBe('InvalidParamsError');
    expect(await typeOf('/v1/message:send', '{"message":')).toBe('JSONParseError');
  });

  it('needs a key as in 1.0', async () => {
    const url = await stage.another({ auth });
    const rpc = await call<ErrorBody>(url, 'message/send', { message: message() });
    const rest = await get<LegacyError>(`${url}/v1/tasks/nothing`);
    expect([rpc.status, rest.status]).toEqual([401, 401]);
    expect((await get(`${url}/v1/tasks/nothing`, { 'x-api-key': key })).status).toBe(404);
  });

  it('as a notification runs without an answer', async () => {
    const contextId = randomUUID();
    const params = { message: message({ contextId }), configuration: { blocking: true } };
    const { status, body } = await post(stage.url, { jsonrpc: '2.0', method: 'message/send', params });
    expect([status, body]).toEqual([204, undefined]);
    expect(await stage.taskIn(contextId)).toEqual(expect.any(String));
  });

  it('as a streaming notification runs without an answer', async () => {
    const contextId = randomUUID();
    const params = { message: message({ contextId }) };
    const { status, body } = await post(stage.url, { jsonrpc: '2.0', method: 'message/stream', params });
    expect([status, body]).toEqual([204, undefined]);
    expect(await stage.taskIn(contextId)).toEqual(expect.any(String));
  });

  it('goes to the agent of its URL', async () => {
    const url = `${stage.url}/agents/mute`;
    const rpc = await openStream(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message: message() } }),
    });
    // Clients of 0.3 expect an event stream.
    const [event] = await rpc.rest();
    expect([event?.event, event?.data]).toEqual([undefined, expect.objectContaining({ error: expect.anything() })]);
  });
});

describe('A 0.3 push configuration over REST', () => {
  const pushNotificationConfig = { id: 'hook', url: 'https://example.com/hook', token: 'secret' };

  it.each([
    ['the Python SDK 0.3', (parent: string) => ({ parent, configId: 'hook', config: { pushNotificationConfig } })],
    [
      'the Python SDK 1.x',
      (parent: string) => ({ parent, config_id: 'hook', config: { push_notification_config: pushNotificationConfig } }),
    ],
    [
      'the JavaScript SDK',
      (parent: string) => ({ name: `${parent}/pushNotificationConfigs/hook`, pushNotificationConfig }),
    ],
  ])('is accepted in the form of %s', async (_, bodyFor) => {
    const { id: taskId } = await submit(stage.url, userMessage('hello'));
    const name = `tasks/${taskId}`;
    const answer = await post(`${stage.url}/v1/${name}/pushNotificationConfigs`, bodyFor(name));
    const { token: __, ...readable } = pushNotificationConfig;
    const shown = { name: `${name}/pushNotificationConfigs/hook`, pushNotificationConfig: readable };
    expect(answer).toMatchObject({ status: 200, body: shown });
    expect((await get(`${stage.url}/v1/${shown.name}`)).body).toMatchObject(shown);
    const owner = { principal: { tenant: 'default', subject: 'anonymous', scopes: [] }, agent: 'echo' };
    expect(await new Webhooks(stage.store.inside).get(owner, taskId, 'hook')).toMatchObject(pushNotificationConfig);
  });
});

describe('A 0.3 push configuration without an id', () => {
  const of = (taskId: string, url: string) => ({ taskId, pushNotificationConfig: { url } });
  const ask = async <Result>(method: string, params: object): Promise<Result> =>
    (await call<{ result: Result }>(stage.url, `tasks/pushNotificationConfig/${method}`, params)).body.result;
  const shown = (taskId: string, url: string) => ({ taskId, pushNotificationConfig: { id: taskId, url } });

  it('is the only one of its task, replaced by the next one, and read without an id', async () => {
    const { id } = await submit(stage.url);
    await ask('set', of(id, 'https://example.com/old'));
    const last = shown(id, 'https://example.com/new');
    expect(await ask('set', of(id, 'https://example.com/new'))).toEqual(last);
    expect(await ask('get', { id })).toEqual(last);
    expect(await ask('list', { id })).toEqual([last]);
  });

  it('of a message is the same', async () => {
    const configuration = { blocking: false, pushNotificationConfig: { url: 'https://example.com/first' } };
    const { body } = await call<{ result: LegacyTask }>(stage.url, 'message/send', {
      message: message(),
      configuration,
    });
    const { id } = body.result;
    expect(await ask('get', { id })).toEqual(shown(id, 'https://example.com/first'));
    const next = { ...configuration, pushNotificationConfig: { url: 'https://example.com/next' } };
    await call(stage.url, 'message/send', { message: message({ taskId: id }), configuration: next });
    expect(await ask('list', { id })).toEqual([shown(id, 'https://example.com/next')]);
  });

  it('is the oldest one if all have ids, and unknown if there is none', async () => {
    const { id } = await submit(stage.url);
    const none = await call<{ error: LegacyError }>(stage.url, 'tasks/pushNotificationConfig/get', { id });
    expect(none.body.error.code).toBe(-32001);
    const named = { id: 'hook', url: 'https://example.com/hook' };
    await ask('set', { taskId: id, pushNotificationConfig: named });
    expect(await ask('get', { id })).toEqual({ taskId: id, pushNotificationConfig: named });
  });
});

describe('A 0.3 stream', () => {
  const subscription = (id: string, headers = {}) =>
    openStream(stage.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tasks/resubscribe', params: { id } }),
    });

  it('has event ids over JSON-RPC, and resumes after one', async () => {
    const { id } = await submit(stage.url);
    const first = await subscription(id);
    expect((await first.next()).data).toMatchObject({ jsonrpc: '2.0', id: 7, result: { kind: 'task', id } });
    const turn = await stage.beginTurn(id);
    await turn.publish(working('on it'));
    const seen = await first.next();
    first.cut();
    await turn.publish(completed());
    const second = await subscription(id, { 'last-event-id': seen.id ?? '' });
    const rest = await second.rest();
    expect(rest.map(({ data }) => data)).toMatchObject([
      { result: { kind: 'status-update', status: { state: 'completed' }, final: true } },
    ]);
  });

  it('has a question at once, with `final`, and goes on after it', async () => {
    const { id } = await submit(stage.url);
    const stream = await subscription(id);
    await stream.next();
    await (await stage.beginTurn(id)).publish(asked('what?'));
    const question = { kind: 'status-update', status: { state: 'input-required' }, final: true };
    expect((await stream.next()).data).toMatchObject({ result: question });
    await post(`${stage.url}/tasks/${id}:cancel`, {});
    expect((await stream.rest()).map(({ data }) => data)).toMatchObject([
      { result: { status: { state: 'canceled' } } },
    ]);
  });

  it('has the same ids over REST, and resumes after one', async () => {
    const { id } = await submit(stage.url);
    const first = await openStream(`${stage.url}/v1/tasks/${id}:subscribe`);
    await first.next();
    const turn = await stage.beginTurn(id);
    await turn.publish(working('on it'));
    const seen = await first.next();
    first.cut();
    const over = await subscription(id, { 'last-event-id': '1' });
    expect((await over.next()).id).toBe(seen.id);
    over.cut();
    await turn.publish(completed());
    const second = await openStream(`${stage.url}/v1/tasks/${id}:subscribe`, {
      headers: { 'last-event-id': seen.id ?? '' },
    });
    const rest = await second.rest();
    expect(rest.map(({ data }) => data)).toMatchObject([
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' }, final: true } },
    ]);
  });

  it('has heartbeats over REST, and ends when the gateway stops', async () => {
    const other = await openStage({ gateway: { heartbeatMs: 20 } });
    const { id } = await submit(other.url);
    const stream = await openStream(`${other.url}/v1/tasks/${id}:subscribe`);
    await stream.next();
    const ended = stream.rest();
    await expect.poll(() => stream.comments()).toBeGreaterThan(1);
    await other.gateway.stop();
    expect(await ended).toMatchObject([{ event: 'error', data: { code: -32057, type: 'UnavailableError' } }]);
    await other[Symbol.asyncDispose]();
  });
});
