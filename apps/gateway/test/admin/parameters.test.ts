import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../support/client.ts';
import { type AdminStage, fieldsOf, key, openAdminStage } from './support.ts';

// Actions of operators take their parameters from the query and from a JSON body.

let stage: AdminStage;

beforeAll(async () => {
  stage = await openAdminStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

async function post<Body = ErrorBody>(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(stage.adminUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as Body,
  };
}

describe('An action of an operator', () => {
  const created = { subject: 'alice', tenant: 'acme', scopes: ['send', 'read'] };

  it.each([
    ['the query', '?subject=alice&tenant=acme&scopes=send,read&days=2', undefined],
    ['a JSON body', '', { subject: 'alice', tenant: 'acme', scopes: 'send,read', days: 2 }],
    ['a JSON body with lists', '', { subject: 'alice', tenant: 'acme', scopes: ['send', 'read'], days: '2' }],
    ['both', '?subject=alice&days=2', { tenant: 'acme', scopes: ['send', 'read'] }],
  ])('takes its parameters from %s', async (_, query, body) => {
    const answer = await post<Record<string, string>>(`/admin/keys${query}`, body);
    expect(answer).toMatchObject({ status: 200, body: created });
    const days = (Date.parse(answer.body.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(2);
  });

  it('with a JSON body also takes the query', async () => {
    const answer = await post('/admin/log-level?level=debug&forMs=1000');
    expect(answer).toMatchObject({ status: 200, body: { level: 'debug' } });
    await post('/admin/log-level', { level: 'debug', forMs: 0 });
  });

  it.each([
    ['an unknown one in the body', '/admin/keys?subject=a', { tenent: 'acme' }, ['tenent']],
    ['an unknown one in the query', '/admin/keys?tenent=acme', { subject: 'a' }, ['tenent']],
    ['one of an action without parameters', '/admin/agents/echo:pause', { forMs: 5 }, ['forMs']],
    ['one in the query and the body', '/admin/keys?subject=a', { subject: 'b' }, ['subject']],
    ['one that is wrong in the query, and one in the body', '/admin/keys?days=x', { subject: '' }, ['subject', 'days']],
    ['one of another type', '/admin/keys', { subject: { name: 'a' } }, ['subject']],
    ['a number that is a word', '/admin/log-level?level=debug&forMs=soon', undefined, ['forMs']],
    ['a name of the prototype', '/admin/keys?subject=a', '{"__proto__":{"tenant":"b"}}', ['__proto__']],
    ['a list instead of parameters', '/admin/keys?subject=a', [], ['body']],
  ])('names %s', async (_, path, body, fields) => {
    const answer = await post(path, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
  });

  it('refuses a body that is no JSON', async () => {
    expect((await post('/admin/agents/echo:pause', '{')).status).toBe(400);
    expect((await post('/admin/agents/echo:pause', 'x=1', { 'content-type': 'text/plain' })).status).toBe(400);
  });
});
