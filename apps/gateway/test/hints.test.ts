import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GrpcBinding, overGrpc } from './support/bindings/over-grpc.ts';
import { call, type ErrorBody, get, post, userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { rawRequest } from './support/raw-request.ts';
import { openStage, type Stage } from './support/stage.ts';

// What clients meet that mix versions, paths or agents: the answer says where the right one is.

let stage: Stage;
let grpc: GrpcBinding;

beforeAll(async () => {
  stage = await openStage({ gateway: { mcp: true, grpc: { port: 0, publicAddress: 'auto' } } });
  grpc = overGrpc(await grpcAddressOf(stage.url));
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

const messageOf = ({ body }: { readonly body: ErrorBody }): string => body.error.message;

describe('A version that is not served at a path', () => {
  it('is named in the error, over HTTP+JSON and JSON-RPC', async () => {
    const version = { 'a2a-version': '0.7' };
    const expected = 'A2A-Version is "0.7", but this method or path belongs to A2A 1.0';
    expect(messageOf(await get<ErrorBody>(`${stage.url}/tasks`, version))).toBe(expected);
    expect(messageOf(await call<ErrorBody>(stage.url, 'ListTasks', {}, version))).toBe(expected);
  });

  it('is told its own path', async () => {
    const old = await post<ErrorBody>(`${stage.url}/message:send`, {}, { 'a2a-version': '0.3' });
    expect(messageOf(old)).toContain(
      'In A2A 0.3 the methods have names such as message/send, and the paths begin with /v1',
    );
    const late = await post<ErrorBody>(`${stage.url}/v1/message:send`, {}, { 'a2a-version': '1.0' });
    expect(messageOf(late)).toContain('paths below /v1 are those of A2A 0.3');
  });
});

it('A method of 0.3 with the version 1.0 is told that it is of 0.3, over JSON-RPC', async () => {
  const { body } = await call<ErrorBody>(stage.url, 'tasks/get', { id: 'x' }, { 'a2a-version': '1.0' });
  expect(body.error.code).toBe(-32601);
  expect(body.error.message).toContain('tasks/get is of A2A 0.3, with A2A-Version 0.3 or none');
  const unknown = await call<ErrorBody>(stage.url, 'tasks/sing', { id: 'x' }, { 'a2a-version': '1.0' });
  expect(unknown.body.error.message).not.toContain('0.3');
});

it('A path with an unknown verb behind its colon is told the known ones', async () => {
  const taskVerbs = '; the path of a POST ends with :cancel or :subscribe';
  const wrong = await post<ErrorBody>(`${stage.url}/tasks/x:foo`, {});
  expect([wrong.status, messageOf(wrong)]).toEqual([
    405,
    `POST is not allowed at this path; allowed: GET, DELETE${taskVerbs}`,
  ]);
  expect(messageOf(await post<ErrorBody>(`${stage.url}/agents/echo/acme/tasks/x:`, {}))).toContain(taskVerbs);
  const message = await post<ErrorBody>(`${stage.url}/message:sned`, {});
  expect([message.status, messageOf(message)]).toEqual([
    404,
    'Nothing is served at this path; the path of a POST ends with :send or :stream',
  ]);
  expect(messageOf(await post<ErrorBody>(`${stage.url}/tasks/x`, {}))).not.toContain('ends with');
});

it.each([
  ['a method that is not known', 'SING / HTTP/1.1\r\nHost: x\r\n\r\n', 'does not begin with a method of HTTP'],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 'The header Host is'],
  ['large headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'too many or too large headers'],
  ['no version', 'GET / HTP\r\n\r\n', 'The request is not valid HTTP"'],
])('A request with %s is told so', async (_, request, message) => {
  const { body } = await rawRequest(stage.url, request);
  expect(body).toContain(message);
  expect(body).not.toContain('too long');
});

it.each(['', '/agents/mute'])('The card at its old address below "%s" is at the new one', async (base) => {
  const response = await fetch(`${stage.url}${base}/.well-known/agent.json`, { redirect: 'manual' });
  const url = `${stage.url}${base}/.well-known/agent-card.json`;
  expect([response.status, response.headers.get('location')]).toEqual([308, url]);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(url) } });
});

it('Over MCP a client that accepts everything, or says nothing, accepts both types', async () => {
  for (const accept of ['*/*', 'application/*, text/*']) {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const response = await fetch(`${stage.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify(list),
    });
    expect([accept, response.status]).toEqual([accept, 200]);
    expect(await response.text()).toContain('"tools"');
  }
});

describe('A gRPC call that names no agent', () => {
  it('is refused by the name of the default agent, with the reason why it was asked', async () => {
    const outcome = await grpc.invoke({ operation: 'GetTask', params: { id: 'nothing' } });
    expect(outcome).toMatchObject({
      error: {
        message: expect.stringContaining('the agent "echo" was asked, the default one, because the request names none'),
        metadata: { agent: 'echo' },
      },
    });
  });

  it('is refused as usual if it names the agent', async () => {
    const outcome = await grpc.invoke({ operation: 'GetTask', params: { id: 'nothing', tenant: 'echo' } });
    expect(outcome).toMatchObject({ error: { message: expect.not.stringContaining('the default one') } });
  });
});

describe('A card for clients of 0.3', () => {
  const transportsOf = async (base: string): Promise<string[]> => {
    const { body } = await get<{ additionalInterfaces: { url: string; transport: string }[] }>(
      `${stage.url}${base}/.well-known/agent-card.json`,
    );
    return body.additionalInterfaces.map(({ transport }) => transport);
  };

  it('names gRPC at the root, and at the URL of the agent that is there', async () => {
    expect(await transportsOf('')).toEqual(['JSONRPC', 'HTTP+JSON', 'GRPC']);
    expect(await transportsOf('/agents/echo')).toEqual(['JSONRPC', 'HTTP+JSON', 'GRPC']);
  });

  it('does not name it for other agents, which requests of 0.3 cannot name', async () => {
    expect(await transportsOf('/agents/mute')).toEqual(['JSONRPC', 'HTTP+JSON']);
  });
});

describe('Fields of a configuration that A2A 1.0 does not have', () => {
  const params = {
    message: userMessage('x'),
    configuration: { returnImmediately: true, blocking: false, pushNotificationConfig: {}, 'a,b': 1 },
  };

  it('are named in a header, over HTTP+JSON and JSON-RPC', async () => {
    const named = 'configuration.blocking, configuration.pushNotificationConfig, configuration.?';
    for (const answer of [
      await post(`${stage.url}/message:send`, params),
      await call(stage.url, 'SendMessage', params),
    ])
      expect([answer.status, answer.headers.get('a2a-ignored-fields')]).toEqual([200, named]);
  });

  it('have no header if there are none', async () => {
    const { headers } = await post(`${stage.url}/message:send`, {
      message: userMessage('x'),
      configuration: { return_immediately: true, acceptedOutputModes: ['text/plain'] },
    });
    expect(headers.get('a2a-ignored-fields')).toBeNull();
  });

  const legacyMessage = { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
  const mixed = { returnImediately: true, blocking: false, returnImmediately: true };

  it('are named over 0.3, too', async () => {
    const legacy = await call(stage.url, 'message/send', { message: legacyMessage, configuration: mixed });
    expect(legacy.headers.get('a2a-ignored-fields')).toBe(
      'configuration.returnImediately, configuration.returnImmediately',
    );
  });

  it('are refused by name if the settings say so, over JSON and in both versions', async () => {
    const strict = await stage.another({ unknownConfiguration: 'refuse' });
    const message = userMessage('x');
    const fieldsIn = (body: unknown): string[] => [
      ...new Set(Array.from(JSON.stringify(body).matchAll(/configuration\.\w+/g), ([field]) => field)),
    ];
    const unknownOf1 = ['configuration.returnImediately', 'configuration.blocking'];
    const unknownOf0 = ['configuration.returnImediately', 'configuration.returnImmediately'];
    const body = { message, configuration: mixed };
    const legacy = { message: legacyMessage, configuration: mixed };
    const legacyRest = {
      request: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'x' }] },
      configuration: mixed,
    };
    for (const [answer, fields] of [
      [await post(`${strict}/message:send`, body), unknownOf1],
      [await post(`${strict}/message:stream`, body), unknownOf1],
      [await call(strict, 'SendMessage', body), unknownOf1],
      [await call(strict, 'SendStreamingMessage', body), unknownOf1],
      [await call(strict, 'message/send', legacy), unknownOf0],
      [await call(strict, 'message/stream', legacy), unknownOf0],
      [await post(`${strict}/v1/message:send`, legacyRest), unknownOf0],
    ] as const) {
      expect([answer.headers.get('a2a-ignored-fields'), JSON.stringify(answer.body)]).toEqual([
        null,
        expect.stringContaining('is not a known field'),
      ]);
      expect(fields).toEqual(expect.arrayContaining(fieldsIn(answer.body)));
      expect(fieldsIn(answer.body)[0]).toBe(fields[0]);
    }
    const accepted = { message, configuration: { return_immediately: true } };
    expect((await post(`${strict}/message:send`, accepted)).status).toBe(200);
  });

  it('are refused by number over gRPC', async () => {
    const strict = await stage.another({ unknownConfiguration: 'refuse', grpc: { port: 0, publicAddress: 'auto' } });
    const client = new Client(await grpcAddressOf(strict), credentials.createInsecure());
    const refusal = (path: string, request: Buffer): Promise<ServiceError | null> =>
      new Promise((resolve) => {
        client.makeUnaryRequest(
          path,
          (bytes: Buffer) => bytes,
          (bytes) => bytes,
          request,
          (error) => resolve(error),
        );
      });
    // A message without content, and a configuration with a number in its field 9.
    const withField9 = (field: number): Buffer => Buffer.from([(field << 3) | 2, 2, 9 << 3, 1]);
    for (const [path, field] of [
      [A2AService.sendMessage.path, 3],
      [LegacyA2AService.sendMessage.path, 2],
    ] as const)
      expect(await refusal(path, withField9(field))).toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringContaining('configuration.field 9 is not a known field'),
      });
    client.close();
  });
});
