import { randomUUID } from 'node:crypto';
import { scheduleUri } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminStage, openAdminStage, key as operatorKey } from '../admin/support.ts';
import { type ErrorBody, post, type Sent, userMessage } from '../support/client.ts';

// Keys in places where they do not count, schedules, Idempotency-Keys, JSON and headers that are meant to harm.

const keyOf = (name: string) => ({ 'x-api-key': `key-of-${name}-0123456789` });
const alice = keyOf('alice');
const owners = { alice: 'acme', mallory: 'evil' };
let stage: AdminStage;

beforeAll(async () => {
  const keys = Object.entries(owners).map(([subject, tenant]) => {
    return { key: keyOf(subject)['x-api-key'], subject, tenant, scopes: [] };
  });
  stage = await openAdminStage({}, { auth: { keys } });
});

afterAll(() => stage[Symbol.asyncDispose]());

describe('A key', () => {
  it('in the query is none, on both ports', async () => {
    for (const name of ['key', 'api_key', 'x-api-key', 'access_token', 'authorization'])
      for (const [url, secret] of [
        [`${stage.url}/tasks`, alice['x-api-key']],
        [`${stage.adminUrl}/admin/agents`, operatorKey],
      ])
        expect([name, (await fetch(`${url}?${name}=${secret}`)).status]).toEqual([name, 401]);
  });
});

describe("A page of another origin gets nothing from the operators' port", () => {
  it.each(['GET', 'POST', 'OPTIONS'])('with %s', async (method) => {
    const headers = { origin: 'https://evil.example', 'access-control-request-headers': 'authorization' };
    const response = await fetch(`${stage.adminUrl}/admin/agents`, { method, headers });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });
});

describe('A schedule', () => {
  it.each([
    ['a cron expression of 1 MB', { cron: '1,'.repeat(500_000) }],
    ['a field of 190 steps', { cron: `${'*/1,'.repeat(47)}* * * * *` }],
    ['every second', { cron: '* * * * * *' }],
    ['a date in the year 9999', { at: '9999-12-31T23:59:59Z' }],
    ['a date beyond all calendars', { at: '+275760-09-13T00:00:01Z' }],
    ['a zone with a path', { cron: '0 9 * * *', timeZone: '../../etc/passwd' }],
    ['a zone of a prototype', { cron: '0 9 * * *', timeZone: '__proto__' }],
  ])('with %s is refused at once', async (_, schedule) => {
    const message = userMessage('x', { metadata: { [scheduleUri]: schedule } });
    const headers = { ...alice, 'a2a-extensions': scheduleUri };
    const { status, body } = await post<ErrorBody>(`${stage.url}/message:send`, { message }, headers);
    expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  });
});

describe('An Idempotency-Key', () => {
  const configuration = { returnImmediately: true };
  const send = (name: string, idempotencyKey: string, text = 'x') => {
    const message = { ...userMessage(text), messageId: `m-${randomUUID()}` };
    const headers = { ...keyOf(name), 'idempotency-key': idempotencyKey };
    return post<Sent>(`${stage.url}/message:send`, { message, configuration }, headers);
  };

  it('of another tenant is another key', async () => {
    const [mine, theirs] = [await send('alice', 'the-same'), await send('mallory', 'the-same')];
    expect([mine.status, theirs.status, mine.body.task.id === theirs.body.task.id]).toEqual([200, 200, false]);
  });

  it('that is sent fifty times at once makes one task', async () => {
    const message = userMessage('x');
    const headers = { ...alice, 'idempotency-key': 'fifty' };
    const all = await Promise.all(
      Array.from({ length: 50 }, () => post<Sent>(`${stage.url}/message:send`, { message, configuration }, headers)),
    );
    expect(new Set(all.map(({ body }) => body.task.id)).size).toBe(1);
  });
});

describe('A JSON body', () => {
  const bodyOf = (part: string) => {
    const message = `{"messageId":"${randomUUID()}","role":"ROLE_USER","parts":[${part}]}`;
    return `{"message":${message},"configuration":{"returnImmediately":true}}`;
  };

  it.each([
    [200, 'names a prototype', bodyOf('{"text":"x","__proto__":{"isAdmin":true}}')],
    [413, 'has 100,000 levels', bodyOf(`{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)],
    [400, 'has 200 levels', bodyOf(`{"data":${'['.repeat(200)}${']'.repeat(200)}}`)],
    [400, 'has a number beyond all numbers', bodyOf('{"data":{"n":1e400}}')],
    [400, 'has half a character', bodyOf('{"text":"\\ud800"}')],
    [200, 'has NUL', bodyOf('{"text":"a\\u0000b"}')],
    [400, 'is not UTF-8', Buffer.from([...Buffer.from('{"message":"'), 0xc3, 0x28, 0x22, 0x7d])],
  ])('gets %i if it %s, and harms nothing', async (expected, _, body) => {
    const headers = { ...alice, 'content-type': 'application/json' };
    const { status } = await fetch(`${stage.url}/message:send`, { method: 'POST', headers, body });
    expect([status, Object.hasOwn(Object.prototype, 'isAdmin')]).toEqual([expected, false]);
    expect((await fetch(`${stage.url}/tasks`, { headers: alice })).status).toBe(200);
  });
});

it.each([
  ['a2a-extensions', 'x'.repeat(8_000)],
  ['a2a-extensions', ','.repeat(4_000)],
  ['traceparent', 'ff-00000000000000000000000000000000-0000000000000000-zz'],
  ['tracestate', `${'a=b,'.repeat(2_000)}c`],
  ['x-forwarded-for', '1.2.3.4, '.repeat(800)],
  ['x-forwarded-host', 'evil.example"><script>'],
])('A header %s that no client sends changes no answer', async (name, value) => {
  const { status, headers } = await fetch(`${stage.url}/tasks`, { headers: { ...alice, [name]: value } });
  expect(status).toBe(200);
  expect(JSON.stringify([...headers])).not.toContain('evil.example');
});
