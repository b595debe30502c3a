import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis, type TestRedis } from '../../../../tests/support/redis.ts';
import { openLedger, type RedisLedger } from '../../../../tests/support/redis-ledger.ts';
import { defaultGatewaySettings } from '../../src/settings/gateway-settings.ts';
import { type AdminStage, openAdminStage } from '../admin/support.ts';
import { type ErrorBody, get } from '../support/client.ts';

const metricsKey = 'a-key-for-prometheus';
const adminsKey = 'the-key-of-an-admin-by-name';
const clientsKey = 'the-key-of-a-client-alone';

let redis: TestRedis;
let ledger: RedisLedger;
let stage: AdminStage;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url);
  const client = { tenant: 'acme', subject: 'ada' };
  const keys = [
    { ...client, key: adminsKey, scopes: ['admin'] },
    { ...client, key: clientsKey, scopes: ['send', 'read'] },
  ];
  stage = await openAdminStage({ redisUrl: ledger.url }, { auth: { keys }, metricsKey });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await ledger[Symbol.asyncDispose]();
  await redis.stop();
});

const task = 'c0ffee00-0000-4000-8000-000000000000';
const routes: readonly (readonly [verb: string, path: string])[] = [
  ['GET', '/admin/health'],
  ['GET', '/admin/agents'],
  ['POST', '/admin/agents/echo:pause'],
  ['GET', '/admin/workers'],
  ['POST', '/admin/workers/w:drain'],
  ['GET', '/admin/dead-letters'],
  ['GET', `/admin/tasks/${task}`],
  ['POST', `/admin/tasks/${task}:cancel`],
  ['DELETE', `/admin/tasks/${task}`],
  ['GET', '/admin/nothing'],
];

describe("Prometheus' key", () => {
  it('reads metrics, and is refused everywhere else', async () => {
    expect((await fetch(`${stage.adminUrl}/metrics`, { headers: { 'x-api-key': metricsKey } })).status).toBe(200);
    for (const [method, path] of routes) {
      const answer = await fetch(stage.adminUrl + path, { method, headers: { authorization: `Bearer ${metricsKey}` } });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.json()).toMatchObject({ error: { status: 'PERMISSION_DENIED' } });
    }
    expect(
      (await stage.ask<{ agents: { id: string; paused: boolean }[] }>('/admin/agents')).body.agents,
    ).toContainEqual(expect.objectContaining({ id: 'echo', paused: false }));
  });
});

describe("a client's key", () => {
  it('is refused, unless it has the scope admin; its actions are logged by name', async () => {
    const refused = await get<ErrorBody>(`${stage.adminUrl}/admin/agents`, { 'x-api-key': clientsKey });
    expect(refused).toMatchObject({ status: 403, body: { error: { status: 'PERMISSION_DENIED' } } });
    const path = '/admin/agents/mute:pause';
    const answer = await fetch(stage.adminUrl + path, { method: 'POST', headers: { 'x-api-key': adminsKey } });
    expect(answer.status).toBe(200);
    await stage.ask('/admin/agents/mute:resume', 'POST');
    const named = stage.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'admin action');
    expect(named.map(({ who, path }) => [who, path])).toEqual([
      ['acme/ada', path],
      ['operator', '/admin/agents/mute:resume'],
    ]);
  });
});

describe("guessing keys on the operators' port", () => {
  it('is stopped by 429, while known keys still work', async () => {
    const rates = { ...defaultGatewaySettings.rates, failedAuthPerAddress: { count: 20, seconds: 60 } };
    await using guessed = await openAdminStage({}, { metricsKey, rates });
    const ask = async (key: string): Promise<number> =>
      (await fetch(`${guessed.adminUrl}/metrics`, { headers: { 'x-api-key': key } })).status;
    const statuses: number[] = [];
    for (let n = 0; n < 25; n++) statuses.push(await ask(`a-guess-that-is-wrong-${n}`));
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
    expect(guessed.log.join('\n')).toContain('"address":"127.0.0.1"');
    expect(await ask(metricsKey)).toBe(200);
    expect((await guessed.ask('/admin/health')).status).toBe(200);
  });
});

describe('/readyz', () => {
  it('does not name agents or the state of Redis, which operators can read', async () => {
    expect((await get(`${stage.url}/readyz`)).body).toEqual({ status: 'ready' });
    expect((await stage.ask('/admin/health')).body).toEqual({ status: 'ready', redis: 'writable' });
  });

  it('asks Redis at most twice a second, however often it is called', async () => {
    const startedAt = performance.now();
    const { commands } = await ledger.during(async () => {
      for (let round = 0; round < 20; round++)
        await Promise.all(Array.from({ length: 50 }, () => get(`${stage.url}/readyz`)));
    });
    const writes = commands.filter((name) => name === 'set').length;
    expect(writes).toBeLessThanOrEqual(((performance.now() - startedAt) / 1_000) * 2 + 1);
  });
});
