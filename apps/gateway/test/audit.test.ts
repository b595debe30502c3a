import { type AuditAction, type AuditEvent, auditActions, Credentials } from '@switchyard/access';
import { Ops } from '@switchyard/operators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { withoutPort } from '../src/exchange/addresses.ts';
import { defaultRateSettings } from '../src/settings/limit-settings.ts';
import { type AdminStage, openAdminStage } from './admin/support.ts';
import { call, get, post, submit, userMessage } from './support/client.ts';

const key = 'the-key-of-ada-at-acme';
const headers = { 'x-api-key': key };
const bossKey = 'the-key-of-the-boss-at-acme';
const boss = { key: bossKey, tenant: 'acme', subject: 'boss', scopes: ['admin'] };
const ada = { key, tenant: 'acme', subject: 'ada', scopes: [] };

interface Trail {
  readonly events: readonly AuditEvent[];
  readonly nextPageToken: string;
}

/** The audit events in the log. */
const loggedEvents = (stage: AdminStage, what: AuditAction): AuditEvent[] =>
  stage.log.map((line) => JSON.parse(line)).filter((line) => line.msg === 'audit' && line.what === what);

/** Waits for an event with these fields. */
async function audited(stage: AdminStage, wanted: Partial<AuditEvent>, query = ''): Promise<AuditEvent> {
  const find = async (): Promise<AuditEvent | undefined> => {
    const { body } = await stage.ask<Trail>(`/admin/audit?pageSize=100${query}`);
    const entries = Object.entries(wanted);
    return body.events.find((event) => entries.every(([name, value]) => event[name as keyof AuditEvent] === value));
  };
  return until(find, { what: `the audit trail has ${JSON.stringify(wanted)}` });
}

describe('the audit trail', () => {
  let redis: TestRedis;
  let stage: AdminStage;
  let taskId: string;

  beforeAll(async () => {
    redis = await startRedis();
    const store = { redisUrl: redis.url, pushSecrets: ['a secret of this test'] };
    stage = await openAdminStage(store, { auth: { keys: [ada, boss] }, storeTimeoutMs: 300 });
    const { body } = await post<{ task: { id: string } }>(
      `${stage.url}/message:send`,
      { message: userMessage('something private'), configuration: { returnImmediately: true } },
      headers,
    );
    taskId = body.task.id;
  });

  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await redis.stop();
  });

  it('has who sent, canceled, registered and deleted what, with which outcome, and no text or secret', async () => {
    const who = { tenant: 'acme', subject: 'ada', agent: 'echo', address: '127.0.0.1' };
    const sent = await audited(stage, { what: 'send', object: taskId });
    expect(sent).toMatchObject({ ...who, outcome: 'ok', requestId: expect.any(String) });
    expect(Date.parse(sent.at)).toBeGreaterThan(Date.now() - 60_000);

    const config = { url: 'https://client.example.com/hook?secret=1', token: 'private-token' };
    await post(`${stage.url}/tasks/${taskId}/pushNotificationConfigs`, { id: 'hook', ...config }, headers);
    expect(await audited(stage, { what: 'push-register', object: taskId })).toMatchObject({ ...who, outcome: 'ok' });
    const hook = `${stage.url}/tasks/${taskId}/pushNotificationConfigs/hook`;
    await fetch(hook, { method: 'DELETE', headers });
    expect(await audited(stage, { what: 'push-delete' })).toMatchObject({ ...who, object: taskId, outcome: 'ok' });

    await call(stage.url, 'CancelTask', { id: 'not-a-task-of-ada' }, headers);
    expect(await audited(stage, { what: 'cancel', outcome: 'TaskNotFound' })).toMatchObject({
      ...who,
      object: 'not-a-task-of-ada',
    });
    await call(stage.url, 'CancelTask', { id: taskId }, headers);
    expect(await audited(stage, { what: 'cancel', outcome: 'ok' })).toMatchObject({ ...who, object: taskId });
    await fetch(`${stage.url}/tasks/${taskId}`, { method: 'DELETE', headers });
    expect(await audited(stage, { what: 'delete', outcome: 'ok' })).toMatchObject({ ...who, object: taskId });

    const { body } = await stage.ask<Trail>('/admin/audit?pageSize=100');
    expect(JSON.stringify(body)).not.toMatch(/private|secret|the-key-of/);
  });

  it('has the first use of each credential, and refused callers', async () => {
    const first = await audited(stage, { what: 'sign-in' });
    expect(first).toMatchObject({ tenant: 'acme', subject: 'ada', address: '127.0.0.1', outcome: 'ok' });
    expect(first.credential).not.toContain(key);
    await get(`${stage.url}/tasks`, headers);
    const { body } = await stage.ask<Trail>('/admin/audit?what=sign-in');
    expect(body.events).toHaveLength(1);
    for (const path of ['/tasks', '/agents', '/conversations?contextId=x'])
      expect((await get(stage.url + path, { 'x-api-key': 'another-key-entirely' })).status).toBe(401);
    const refused = await audited(stage, { what: 'refused', outcome: 'Unauthenticated' });
    const reason = 'The API key is not valid';
    expect(refused).toMatchObject({ address: '127.0.0.1', requestId: expect.any(String), reason });
  });

  it('has the reason why a credential was refused, and its id if that is known', async () => {
    const draft = { tenant: 'acme', subject: 'carol', scopes: [] };
    const { key: theirs, credential } = await new Credentials(stage.store.inside).create(draft);
    await new Credentials(stage.store.inside).revoke(credential.id);
    expect((await get(`${stage.url}/tasks`, { 'x-api-key': theirs })).status).toBe(401);
    expect((await get(`${stage.url}/tasks`)).status).toBe(401);
    const refused = { what: 'refused', outcome: 'Unauthenticated' } as const;
    await audited(stage, { ...refused, reason: 'The API key has been revoked', credential: `key:${credential.id}` });
    const wanted = await audited(stage, { ...refused, credential: undefined, operation: undefined }, '&what=refused');
    expect(wanted.reason).toMatch(/^(Authentication is required|The API key is not valid)/);
  });

  it('has what operators did, and what they read of clients, by name', async () => {
    await stage.ask('/admin/agents/mute:pause', 'POST');
    await stage.ask('/admin/agents/mute:resume', 'POST');
    expect(await audited(stage, { what: 'admin', operation: 'POST /admin/agents/:id:pause' })).toMatchObject({
      subject: 'operator',
      object: 'mute',
      outcome: 'ok',
    });
    await stage.ask(`/admin/tasks/${taskId}?contents=true`);
    expect(await audited(stage, { what: 'admin', operation: 'GET /admin/tasks/:id' })).toMatchObject({
      object: taskId,
      outcome: 'TaskNotFound',
    });
    const made = await stage.ask<{ id: string; key: string }>(
      '/admin/keys?tenant=acme&subject=bob&scopes=read+cancel',
      'POST',
    );
    await stage.ask(`/admin/keys/${made.body.id}`, 'DELETE');
    expect(await audited(stage, { what: 'key-create' })).toMatchObject({
      subject: 'operator',
      credential: 'key:operator',
      object: made.body.id,
      forTenant: 'acme',
      forSubject: 'bob',
      scopes: ['read', 'cancel'],
      outcome: 'ok',
    });
    expect(loggedEvents(stage, 'key-create').at(-1)).toMatchObject({ forSubject: 'bob', scopes: ['read', 'cancel'] });
    expect(await audited(stage, { what: 'key-revoke' })).toMatchObject({ subject: 'operator', object: made.body.id });
    await get(`${stage.adminUrl}/admin/agents`, { 'x-api-key': 'a-wrong-key-entirely' });
    expect(await audited(stage, { what: 'refused', operation: 'admin' })).toMatchObject({ outcome: 'Unauthenticated' });
  });

  it("has what clients did on the operators' port, by tenant, subject and credential", async () => {
    const path = `${stage.adminUrl}/admin/agents/mute:resume`;
    const statusOf = async (apiKey: string): Promise<number> =>
      (await fetch(path, { method: 'POST', headers: { 'x-api-key': apiKey } })).status;
    expect([await statusOf(bossKey), await statusOf(key)]).toEqual([200, 403]);
    const credential = 'key:environment';
    const wanted = { tenant: 'acme', subject: 'boss', credential, outcome: 'ok', object: 'mute' };
    expect(await audited(stage, { what: 'admin', subject: 'boss' })).toMatchObject(wanted);
    const refused = await audited(stage, { what: 'refused', operation: 'admin', subject: 'ada' });
    expect(refused).toMatchObject({ tenant: 'acme', credential, outcome: 'PermissionDenied' });
  });

  it('is filtered by tenant, kind and time, page by page; a wrong filter is refused', async () => {
    const ask = async (query: string): Promise<Trail> => (await stage.ask<Trail>(`/admin/audit?${query}`)).body;
    const whats = async (query: string): Promise<AuditAction[]> => (await ask(query)).events.map(({ what }) => what);
    expect(new Set(await whats('what=cancel'))).toEqual(new Set(['cancel']));
    expect(await whats('tenant=acme')).not.toContain('key-create');
    expect(await whats('tenant=nobody')).toEqual([]);
    expect(new Set(await whats(`object=${taskId}&outcome=ok`))).toContain('send');
    for (const [name, value] of [
      ['subject', 'operator'],
      ['credential', 'key:operator'],
      ['object', taskId],
      ['outcome', 'TaskNotFound'],
    ] as const) {
      const { events } = await ask(`${name}=${value}`);
      expect(new Set(events.map((event) => event[name]))).toEqual(new Set([value]));
    }
    expect(await whats(`since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    const first = await ask('tenant=acme&pageSize=1');
    const second = await ask(`tenant=acme&pageSize=1&pageToken=${first.nextPageToken}`);
    expect(second.events[0]).not.toEqual(first.events[0]);
    for (const wrong of ['what=nothing', 'since=yesterday', 'pageToken=x'])
      expect((await stage.ask(`/admin/audit?${wrong}`)).status).toBe(400);
    expect(auditActions).toContain('sign-in');
  });

  it('has actions during an outage of Redis once that is over; the log has them at once', async () => {
    const port = Number(new URL(redis.url).port);
    await redis.stop();
    await stage.ask('/admin/agents/echo:pause', 'POST');
    expect(loggedEvents(stage, 'admin').at(-1)).toMatchObject({
      what: 'admin',
      outcome: 'Unavailable',
      object: 'echo',
    });
    redis = await startRedis({ port });
    expect(await audited(stage, { what: 'admin', outcome: 'Unavailable' })).toMatchObject({ object: 'echo' });
  });
});

describe('a refused request', () => {
  it('is recorded with its caller: an unknown agent, or a spent rate', async () => {
    const ofKind = { ...defaultRateSettings.ofKind, cancel: { count: 1, seconds: 3_600 } };
    const rates = { ...defaultRateSettings, perPrincipal: { count: 4, seconds: 3_600 }, ofKind };
    await using stage = await openAdminStage({}, { auth: { keys: [ada] }, rates });
    expect((await get(`${stage.url}/agents/nobody/tasks/x`, headers)).status).toBe(404);
    const refused = { what: 'refused', tenant: 'acme', subject: 'ada' } as const;
    await audited(stage, { ...refused, outcome: 'NotFound', agent: 'nobody' });
    for (const id of ['x', 'y']) await call(stage.url, 'CancelTask', { id }, headers);
    await audited(stage, { ...refused, outcome: 'RateLimited', operation: 'CancelTask' });
    for (const path of ['/tasks', '/tasks']) await get(stage.url + path, headers);
    await audited(stage, { ...refused, outcome: 'RateLimited', operation: undefined });
  });
});

describe('a caller who may not do something', () => {
  const bob = { key: 'the-key-of-bob-at-acme', tenant: 'acme', subject: 'bob' };
  const asBob = { 'x-api-key': bob.key };

  it('is recorded with the reason: a missing scope, or a host', async () => {
    await using stage = await openAdminStage({}, { auth: { keys: [{ ...bob, scopes: ['read'] }] } });
    expect((await post(`${stage.url}/message:send`, { message: userMessage('x') }, asBob)).status).toBe(403);
    const refused = { what: 'refused', outcome: 'PermissionDenied', subject: 'bob' } as const;
    const sent = await audited(stage, { ...refused, operation: 'SendMessage' });
    expect(sent.reason).toMatch(/^Not allowed without the scope /);
    expect((await get(`${stage.adminUrl}/admin/agents`, asBob)).status).toBe(403);
    await audited(stage, { ...refused, operation: 'admin', reason: 'The key is not for operators' });
    expect((await get(`${stage.url}/tasks`, { ...asBob, origin: 'https://evil.example.com' })).status).toBe(403);
    const ofPage = { what: 'refused', outcome: 'PermissionDenied', subject: undefined } as const;
    expect((await audited(stage, ofPage)).reason).toMatch(/^This origin is not allowed/);
  });

  it('is recorded with the reason why an agent is not there, which the caller does not learn', async () => {
    await using stage = await openAdminStage({}, { auth: { keys: [boss] } });
    const draft = { tenant: 'acme', subject: 'bob', scopes: [], agents: ['echo'] };
    const { key: theirs } = await new Credentials(stage.store.inside).create(draft);
    const refused = { what: 'refused', outcome: 'NotFound', subject: 'bob' } as const;
    const answers = ['mute', 'nobody'].map(async (agent) => {
      const { status, body } = await get(`${stage.url}/agents/${agent}/tasks`, { 'x-api-key': theirs });
      return [status, JSON.stringify(body).replaceAll(agent, '')];
    });
    const [existing, missing] = await Promise.all(answers);
    expect(existing).toEqual(missing);
    expect((await audited(stage, { ...refused, agent: 'mute' })).reason).toBe(
      'The credential does not list this agent',
    );
    expect((await audited(stage, { ...refused, agent: 'nobody' })).reason).toBe('There is no such agent');
  });
});

describe('equal failures', () => {
  it('are one event with their number, and do not fill the trail', async () => {
    await using stage = await openAdminStage();
    for (let round = 0; round < 10; round++)
      await Promise.all(
        Array.from({ length: 30 }, () => get(`${stage.adminUrl}/admin/agents`, { 'x-api-key': 'a-wrong-key' })),
      );
    const counted = async (): Promise<boolean> => {
      const { body } = await stage.ask<Trail>('/admin/audit?what=refused&pageSize=100');
      const { events } = body;
      expect(events.length).toBeLessThan(20);
      return events.reduce((sum, { count = 1 }) => sum + count, 0) === 300;
    };
    await until(counted, { what: 'all are counted' });
  });
});

describe('the recorded address of a caller', () => {
  it('is the one reported by a trusted proxy; those of one network are one', async () => {
    const rates = { ...defaultRateSettings, failedAuthPerAddress: 'off', proxies: 1 } as const;
    await using stage = await openAdminStage({}, { auth: { keys: [ada] }, rates });
    const ask = (forwarded: string) =>
      get(`${stage.url}/tasks`, { 'x-api-key': 'a-wrong-key-1', 'x-forwarded-for': forwarded });
    await ask('198.51.100.7, 192.0.2.1:4711');
    await audited(stage, { what: 'refused', address: '192.0.2.1' });
    for (let n = 1; n <= 20; n++) await ask(`2001:db8::${n}`);
    const counted = async (): Promise<boolean> => {
      const { body } = await stage.ask<Trail>('/admin/audit?what=refused&pageSize=100');
      const theirs = body.events.filter(({ address }) => address?.startsWith('2001:db8::'));
      expect(theirs.length).toBeLessThan(10);
      return theirs.reduce((sum, { count = 1 }) => sum + count, 0) === 20;
    };
    await until(counted, { what: 'all of the network are counted' });
  });
});

describe('a recorded address over gRPC', () => {
  it('has no port, which differs with each connection', () => {
    expect(['192.0.2.1:4711', '[2001:db8::1]:4711', '2001:db8::1:47110'].map(withoutPort)).toEqual([
      '192.0.2.1',
      '2001:db8::1',
      '2001:db8::1',
    ]);
  });
});

describe('AUDIT', () => {
  it('decides whether reads are recorded, or nothing', async () => {
    for (const [events, expected] of [
      ['changes', ['send']],
      ['all', ['read', 'send']],
      ['off', []],
    ] as const) {
      const stage = await openAdminStage({}, { audit: { events } });
      const { id } = await submit(stage.url);
      await get(`${stage.url}/tasks/${id}`);
      const { store } = stage;
      await stage.stopGateway();
      const { items } = await new Ops(store).listAudit({ pageSize: 10 });
      expect(items.map(({ what }) => what)).toEqual(expected);
      await stage[Symbol.asyncDispose]();
    }
  });
});
