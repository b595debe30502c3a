import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submit } from './support/client.ts';
import { rawRequest } from './support/raw-request.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;
let taskId: string;

beforeAll(async () => {
  stage = await openStage();
  taskId = (await submit(`${stage.url}/agents/echo`)).id;
});

afterAll(() => stage[Symbol.asyncDispose]());

/** An answer without its times. */
async function answerTo(path: string, init: RequestInit = {}): Promise<object> {
  const headers = { 'x-request-id': 'one', 'content-type': 'application/json', ...init.headers };
  const response = await fetch(stage.url + path, { ...init, headers });
  const { date, ...said } = Object.fromEntries(response.headers);
  expect(date).toBeDefined();
  return { status: response.status, headers: said, body: await response.text() };
}

const rpc = (method: string, params: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
});

describe('a path is the same with a query, a trailing slash or an escape', () => {
  test.each([
    ['a task', () => `/agents/echo/tasks/${taskId}`, {}],
    ['a task with an older ETag', () => `/agents/echo/tasks/${taskId}`, { 'if-none-match': '"0-0"' }],
    ['a task of another agent', () => `/agents/mute/tasks/${taskId}`, {}],
    ['a task of an unknown agent', () => `/agents/nobody/tasks/${taskId}`, {}],
    ['an unknown task', () => '/tasks/nothing', {}],
    ['an unsupported version', () => `/tasks/${taskId}`, { 'a2a-version': '9.0' }],
  ])('GET: %s', async (_, path, headers) => {
    const direct = await answerTo(path(), { headers });
    expect(await answerTo(`${path()}?x=1`, { headers })).toEqual(direct);
    expect(await answerTo(`${path()}/`, { headers })).toEqual(direct);
  });

  test.each([
    ['a task', '/agents/echo', () => rpc('GetTask', { id: taskId })],
    ['a task of another agent', '/agents/mute', () => rpc('GetTask', { id: taskId })],
    ['an unknown agent', '/agents/nobody', () => rpc('GetTask', { id: taskId })],
    ['an unknown method', '/', () => rpc('Nothing', {})],
    ['no JSON', '/', () => ({ method: 'POST', body: '{' })],
  ])('JSON-RPC: %s', async (_, path, request) => {
    const direct = await answerTo(path, request());
    expect(await answerTo(`${path}?x=1`, request())).toEqual(direct);
    // Read as a path, this would be one of version 0.3.
    expect(await answerTo(`${path}?callback=/v1/x`, request())).toEqual(direct);
  });

  test.each([
    ['a page of tasks', '/tasks', {}],
    ['a card for those who are known', '/extendedAgentCard', {}],
    ['webhooks', () => `/tasks/${taskId}/pushNotificationConfigs`, {}],
    ['a webhook that is not there', () => `/tasks/${taskId}/pushNotificationConfigs/none`, { method: 'DELETE' }],
    ['no message', '/message:send', { method: 'POST', body: '{}' }],
    ['no message to stream the answer to', '/message:stream', { method: 'POST', body: '{}' }],
    ['a task that cannot be canceled', '/tasks/nothing:cancel', { method: 'POST' }],
    ['a task that cannot be subscribed', '/tasks/nothing:subscribe', { method: 'POST' }],
    ['a verb that is not served', () => `/tasks/${taskId}:cancel`, { method: 'PUT' }],
  ])('REST: %s', async (_, path, init) => {
    const whole = `/agents/echo${typeof path === 'string' ? path : path()}`;
    const direct = await answerTo(whole, init);
    // A list refuses an unknown parameter.
    expect(await answerTo(`${whole}?a2a-version=1.0`, init)).toEqual(direct);
    expect(await answerTo(`${whole}/`, init)).toEqual(direct);
  });

  test.each(['GET', 'POST'])('a path of a stream is not read as a task id: %s', async (method) => {
    for (const form of ['', '?x=1']) {
      const stream = await fetch(`${stage.url}/agents/echo/tasks/${taskId}:subscribe${form}`, { method });
      expect(stream.headers.get('content-type')).toBe('text/event-stream');
      await stream.body?.cancel();
    }
  });

  test('an escaped path is the same path', async () => {
    const escaped = taskId.replace('-', '%2D');
    expect(await answerTo(`/agents/echo/tasks/${escaped}`)).toEqual(await answerTo(`/agents/echo/tasks/${taskId}`));
  });
});

describe('a request target that is not a path', () => {
  test.each(['a:///agents/echo', 'ftp:///agents/echo?x', 'a://x', 'http://?b', 'a:'])(
    'gets a client error: %s',
    async (target) => {
      const request = `POST ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
      const { status } = await rawRequest(stage.url, request);
      expect([400, 404, 405]).toContain(status);
    },
  );
});
