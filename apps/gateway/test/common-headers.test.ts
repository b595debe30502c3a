import { afterAll, beforeAll, expect, it } from 'vitest';
import { submit } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

const origin = 'https://app.example';
let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ gateway: { allowedOrigins: [origin] } });
});

afterAll(() => stage[Symbol.asyncDispose]());

it('every kind of answer has the common headers, once each', async () => {
  const { id } = await submit(stage.url);
  const task = `${stage.url}/tasks/${id}`;
  const etag = (await fetch(task)).headers.get('etag') ?? '';
  const notification = JSON.stringify({ jsonrpc: '2.0', method: 'GetTask', params: { id } });
  const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const kinds: readonly [status: number, url: string, init: RequestInit][] = [
    [200, task, {}],
    [200, task, { method: 'HEAD' }],
    [304, task, { headers: { 'if-none-match': etag } }],
    [404, `${stage.url}/tasks/none`, {}],
    [405, task, { method: 'PUT' }],
    [204, stage.url, { method: 'POST', headers: json, body: notification }],
    [200, task, { headers: { origin } }],
  ];
  for (const [status, url, init] of kinds) {
    const requestId = `test-${status}-${init.method ?? 'GET'}`;
    const response = await fetch(url, { ...init, headers: { ...init.headers, 'x-request-id': requestId } });
    const of = (name: string): string | null => response.headers.get(name);
    expect([response.status, of('x-request-id'), of('a2a-version')]).toEqual([status, requestId, '1.0']);
    expect(of('x-content-type-options')).toBe('nosniff');
    expect(of('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  }
});

it('the answer for a task varies with the Origin, the media type, and the extensions that a client asks for', async () => {
  const { id } = await submit(stage.url);
  const { headers } = await fetch(`${stage.url}/tasks/${id}`, { headers: { origin } });
  expect([headers.get('vary'), headers.get('access-control-allow-origin')]).toEqual([
    'Origin, Accept, A2A-Extensions',
    origin,
  ]);
});

it('an answer to GET is not stored by caches, unless its route says otherwise', async () => {
  const { id } = await submit(stage.url);
  const cachingOf = async (path: string, init: RequestInit = {}): Promise<string | null> =>
    (await fetch(stage.url + path, init)).headers.get('cache-control');
  const lists = [
    '/tasks',
    `/tasks/${id}/pushNotificationConfigs`,
    '/agents',
    '/conversations?contextId=c',
    '/schedules',
    '/readyz',
  ];
  const refusals = ['/tasks/none', '/agents/none/.well-known/agent-card.json', '/none', '/message:send'];
  for (const path of [...lists, ...refusals, `/v1/tasks/${id}`, '/v1/tasks/none'])
    expect([path, await cachingOf(path)]).toEqual([path, 'no-store']);
  expect(await cachingOf('/tasks', { method: 'HEAD' })).toBe('no-store');
  expect(await cachingOf(`/tasks/${id}`)).toBe('private, no-cache');
  expect(await cachingOf('/.well-known/agent-card.json')).toBe('private, max-age=60');
});
