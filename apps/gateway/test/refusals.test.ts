import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../../../tests/support/until.ts';
import { type Answer, type ErrorBody, get, post, type Sent, userMessage } from './support/client.ts';
import { rawRequest } from './support/raw-request.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ gateway: { maxBodyBytes: 10_000 } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const violations = ({ error }: ErrorBody): (string | undefined)[] =>
  (error.details ?? error.data ?? []).flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));

/** Sends the same body over both HTTP bindings. */
async function both(
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<[rest: Answer<ErrorBody>, jsonRpc: Answer<ErrorBody>]> {
  const to = async (url: string): Promise<Answer<ErrorBody>> => {
    const response = await fetch(url, { method: 'POST', body, headers });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  return [await to(`${stage.url}/message:send`), await to(stage.url)];
}

const json = { 'content-type': 'application/json' };

describe('An invalid request', () => {
  it('gets a JSON error if it is not JSON', async () => {
    const [rest, jsonRpc] = await both('{"message":', json);
    expect([rest.status, rest.body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect([jsonRpc.status, jsonRpc.body.error.code]).toEqual([200, -32700]);
    expect(jsonRpc.body).toMatchObject({ jsonrpc: '2.0', id: null });
  });

  it('is refused if it is not UTF-8', async () => {
    const broken = Buffer.from(JSON.stringify({ message: userMessage('caf\u00e9') }), 'latin1');
    const [rest, jsonRpc] = await both(broken, json);
    expect([rest.status, rest.body.error.details?.[0]?.reason]).toEqual([400, 'PARSE_ERROR']);
    expect(jsonRpc.body.error.code).toBe(-32700);
  });

  it('is refused with another content type', async () => {
    const [rest, jsonRpc] = await both('a=b', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([rest.status, rest.body.error.details?.[0]?.reason]).toEqual([400, 'CONTENT_TYPE_NOT_SUPPORTED']);
    expect([jsonRpc.status, jsonRpc.body.error.code]).toEqual([200, -32005]);
  });

  it('is refused if it is too large, with and without Content-Length', async () => {
    const large = 'x'.repeat(10_001);
    for (const { status, body } of await both(large, json)) {
      expect(status).toBe(413);
      expect(body.error.message).toContain('10000');
    }
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 30; i++) controller.enqueue(Buffer.from('x'.repeat(1_000)));
        controller.close();
      },
    });
    const response = await fetch(stage.url, {
      method: 'POST',
      body: stream,
      headers: json,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: -32055 } });
  });

  it('is refused if it is too large after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000, ' '));
    for (const { status } of await both(bomb, { ...json, 'content-encoding': 'gzip' })) expect(status).toBe(413);
  });

  it('is refused if its encoding is unknown or broken', async () => {
    const [unknown] = await both('{}', { ...json, 'content-encoding': 'zip' });
    expect([unknown.status, violations(unknown.body)]).toEqual([400, ['Content-Encoding']]);
    const [broken] = await both('{}', { ...json, 'content-encoding': 'gzip' });
    expect(broken.status).toBe(400);
  });

  it('is refused if it is nested too deeply', async () => {
    const deep = `{"message":${'['.repeat(4_000)}${']'.repeat(4_000)}}`;
    const [rest, jsonRpc] = await both(deep, json);
    expect([rest.status, violations(rest.body)]).toEqual([400, ['body']]);
    expect([jsonRpc.status, jsonRpc.body.error.code]).toEqual([200, -32600]);
  });

  it('is refused if its body is not an object', async () => {
    for (const body of ['[]', '"text"', '7']) {
      const [rest, jsonRpc] = await both(body, json);
      expect([rest.status, violations(rest.body)]).toEqual([400, ['body']]);
      expect(jsonRpc.body.error.code).toBe(-32600);
    }
  });

  it.each(['0.3', '1.1', '2.0', 'one', '1', '1.0, 0.3'])('gets VersionNotSupported for version %s', async (version) => {
    const headers = { ...json, 'a2a-version': version };
    const request = { jsonrpc: '2.0', id: 7, method: 'ListTasks' };
    const rest = await get<ErrorBody>(`${stage.url}/tasks`, headers);
    expect([rest.status, rest.body.error.details?.[0]?.reason]).toEqual([400, 'VERSION_NOT_SUPPORTED']);
    const jsonRpc = await post<ErrorBody>(stage.url, request, headers);
    expect(jsonRpc.body).toMatchObject({ id: 7, error: { code: -32009 } });
    for (const name of ['A2A-Version', 'a2a-version', 'A2A-VERSION'])
      expect((await get(`${stage.url}/tasks?${name}=${encodeURIComponent(version)}`)).status).toBe(400);
  });

  it.each([
    ['GET', '/', 405],
    ['PUT', '/message:send', 405],
    ['PUT', '/tasks/1', 405],
    ['POST', '/.well-known/agent-card.json', 405],
    ['POST', '/agents', 405],
    ['GET', '/agents/echo', 405],
    ['PATCH', '/tasks/1:subscribe', 405],
    ['GET', '/nothing', 404],
    ['POST', '/message:shout', 404],
    ['POST', '/tasks/1:frob', 405],
    ['GET', '/agents/nobody/tasks', 404],
    ['POST', '/agents/nobody/message:send', 404],
    ['GET', '/agents/nobody/.well-known/agent-card.json', 404],
    ['GET', '/tasks/%E0%A4%A', 400],
    ['GET', '/tasks?contextId=%FF', 400],
    ['GET', '/../../etc/passwd', 404],
  ])('%s %s gets %i', async (method, path, status) => {
    const response = await rawRequest(
      stage.url,
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(response.status).toBe(status);
    expect(response.headers).toContain('Content-Type: application/a2a+json');
    expect(JSON.parse(response.body)).toMatchObject({
      error: { code: status, details: [{ domain: 'a2a-protocol.org' }] },
    });
    if (status === 405) expect(response.headers).toMatch(/\r\nAllow: [A-Z]/);
  });

  it('is refused at once if a long id ends with a forbidden character', { timeout: 2_000 * patience }, async () => {
    const { status, body } = await get<ErrorBody>(`${stage.url}/tasks/${'a'.repeat(60)}%01`);
    expect([status, violations(body)]).toEqual([400, ['id']]);
  });

  it('gets a JSON error if it is not HTTP', async () => {
    const response = await rawRequest(stage.url, 'HELLO\r\n\r\n');
    expect([response.status, JSON.parse(response.body).error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    const huge = await rawRequest(stage.url, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect([huge.status, JSON.parse(huge.body).error.code]).toEqual([431, 431]);
  });

  it('gets a JSON-RPC error for an unknown agent over JSON-RPC', async () => {
    const { status, body } = await post<ErrorBody>(`${stage.url}/agents/nobody`, {
      jsonrpc: '2.0',
      id: 1,
      method: 'ListTasks',
    });
    expect([status, body]).toMatchObject([200, { jsonrpc: '2.0', id: 1, error: { code: -32053 } }]);
  });
});

describe('HEAD', () => {
  it('is answered like GET without a body, and refused for streams', async () => {
    const statusOf = async (path: string) => (await fetch(stage.url + path, { method: 'HEAD' })).status;
    expect(await statusOf('/tasks')).toBe(200);
    expect(await statusOf('/tasks/nothing')).toBe(404);
    expect(await statusOf('/tasks/nothing:subscribe')).toBe(405);
  });
});

describe('A valid request', () => {
  const body = () => JSON.stringify({ message: userMessage('hello'), configuration: { returnImmediately: true } });

  it.each(['application/a2a+json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'can have the content type %s',
    async (type) => {
      const { status } = await post<Sent>(`${stage.url}/message:send`, body(), { 'content-type': type });
      expect(status).toBe(200);
    },
  );

  it('can be compressed', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' };
    const response = await fetch(`${stage.url}/message:send`, { method: 'POST', body: gzipSync(body()), headers });
    expect(response.status).toBe(200);
  });

  it.each(['1.0', '1.0.1', '', ' 1.0 '])('can name version "%s"', async (version) => {
    const { status, headers } = await get(`${stage.url}/tasks`, { 'a2a-version': version });
    expect([status, headers.get('a2a-version')]).toEqual([200, '1.0']);
  });

  it('can name its version in the query', async () => {
    expect((await get(`${stage.url}/tasks?A2A-Version=1.0`)).status).toBe(200);
  });

  it('keeps its X-Request-Id if it is valid, and otherwise gets one', async () => {
    const idOf = async (id: string) =>
      (await get(`${stage.url}/healthz`, { 'x-request-id': id })).headers.get('x-request-id');
    expect(await idOf('abc-123')).toBe('abc-123');
    expect(await idOf('{"evil": 1}')).toMatch(/^[\w-]{12}-\w+$/);
    expect(await idOf('x'.repeat(200))).toMatch(/^[\w-]{12}-\w+$/);
  });
});
