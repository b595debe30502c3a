import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultRateSettings, type RateSettings } from '../../src/settings/limit-settings.ts';
import type { Binding } from '../support/bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { get, post, userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

const key = 'key-of-alice-0123456789';
const auth = { keys: [{ key, subject: 'alice', tenant: 'default', scopes: [] }] };
const grpc = { port: 0, publicAddress: 'auto' };
const alice = { 'x-api-key': key };

let stage: Stage;
const open: GrpcBinding[] = [];

beforeAll(async () => {
  stage = await openStage({ gateway: { auth, grpc } });
});

afterAll(async () => {
  for (const each of open) each[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

/** So slow that nothing is refilled during a test. */
const hourly = (count: number) => ({ count, seconds: 3_600 });

const another = (rates: Partial<RateSettings> = {}): Promise<string> =>
  stage.another({ auth, grpc, rates: { ...defaultRateSettings, failedAuthPerAddress: hourly(20), ...rates } });

async function bindingsOf(url: string): Promise<readonly Binding[]> {
  const own = overGrpc(await grpcAddressOf(url));
  open.push(own);
  return [overJsonRpc(url), overRest(url), own];
}

/** The reason of each binding's refusal, in turn. */
async function reasons(bindings: readonly Binding[], headers: Record<string, string>): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (const binding of bindings) {
    const outcome = await binding.invoke({ operation: 'ListTasks', params: {}, headers });
    found.push('error' in outcome ? outcome.error.reason : undefined);
  }
  return found;
}

const statuses = (url: string, count: number, headers: (i: number) => Record<string, string>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, async (_, i) => (await get(`${url}/tasks`, headers(i))).status));

describe('A client that guesses keys', () => {
  it('gets 429 after twenty wrong keys, in every binding; a valid key from the same address still works', async () => {
    const url = await another();
    const bindings = await bindingsOf(url);
    const found = await statuses(url, 300, (i) => ({ 'x-api-key': `wrong-key-number-${i}-0123` }));
    expect(found.filter((status) => status === 401)).toHaveLength(20);
    expect(found.filter((status) => status === 429)).toHaveLength(280);
    expect(await reasons(bindings, { authorization: 'Bearer wrong-key-0123456789' })).toEqual([
      'RATE_LIMITED',
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
    expect(await reasons(bindings, alice)).toEqual([undefined, undefined, undefined]);
    const { headers } = await get(`${url}/tasks`, { 'x-api-key': 'wrong-key-0123456789' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is not taken for another by a forged X-Forwarded-For', async () => {
    const forge = (i: number) => ({ 'x-api-key': 'wrong-key-0123456789', 'x-forwarded-for': `192.0.2.${i}` });
    const direct = await statuses(await another(), 30, forge);
    expect(direct.filter((status) => status === 429)).toHaveLength(10);
    // A proxy appends the client's address.
    const behindProxy = await statuses(await another({ proxies: 1 }), 30, (i) => ({
      ...forge(i),
      'x-forwarded-for': `192.0.2.${i}, 198.51.100.7`,
    }));
    expect(behindProxy.filter((status) => status === 429)).toHaveLength(10);
  });

  it('is not taken for another at each address of its IPv6 network', async () => {
    const url = await another({ proxies: 1 });
    const found = await statuses(url, 30, (i) => ({
      'x-api-key': 'wrong-key-0123456789',
      'x-forwarded-for': `2001:db8:1:2:${i.toString(16)}::1`,
    }));
    expect(found.filter((status) => status === 429)).toHaveLength(10);
    const neighbour = { 'x-api-key': 'wrong-key-0123456789', 'x-forwarded-for': '2001:db8:1:3::1' };
    expect((await get(`${url}/tasks`, neighbour)).status).toBe(401);
  });

  it('is limited by default', () => {
    expect(defaultRateSettings.failedAuthPerAddress).toEqual({ count: 20, seconds: 60 });
  });

  it('is not confused with one that sends no key', async () => {
    const url = await another();
    expect(new Set(await statuses(url, 60, () => ({})))).toEqual(new Set([401]));
  });
});

describe('A rate limit', () => {
  it('for a principal counts over all bindings, and answers say what is left', async () => {
    const url = await another({ perPrincipal: hourly(5) });
    const bindings = await bindingsOf(url);
    expect(await reasons(bindings, alice)).toEqual([undefined, undefined, undefined]);
    const { headers } = await get(`${url}/tasks`, alice);
    expect(headers.get('ratelimit-policy')).toBe('"all";q=5;w=3600');
    expect(headers.get('ratelimit')).toMatch(/^"all";r=1;t=\d+$/);
    await get(`${url}/tasks`, alice);
    const refused = await get(`${url}/tasks`, alice);
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([
      429,
      `"all";r=0;t=${refused.headers.get('retry-after')}`,
    ]);
    expect(await reasons(bindings, alice)).toEqual(['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('for one kind of request does not affect the others', async () => {
    const { ofKind } = defaultRateSettings;
    const url = await another({ ofKind: { ...ofKind, read: hourly(3) } });
    const bindings = await bindingsOf(url);
    expect(await reasons(bindings, alice)).toEqual([undefined, undefined, undefined]);
    expect(await reasons(bindings, alice)).toEqual(['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED']);
    for (const binding of bindings) {
      const outcome = await binding.invoke({ operation: 'CancelTask', params: { id: 'none' }, headers: alice });
      expect(outcome).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } });
    }
  });

  it('for webhooks counts those registered with a message', async () => {
    const { ofKind } = defaultRateSettings;
    const url = await another({ ofKind: { ...ofKind, push: hourly(1) } });
    const taskPushNotificationConfig = { url: 'https://example.com/hook' };
    const send = async (more: object) => {
      const configuration = { returnImmediately: true, ...more };
      return (await post(`${url}/message:send`, { message: userMessage('x'), configuration }, alice)).status;
    };
    expect(await send({ taskPushNotificationConfig })).toBe(200);
    expect(await send({ taskPushNotificationConfig })).toBe(429);
    expect(await send({})).toBe(200);
  });

  it('for an address counts all clients there', async () => {
    const url = await another({ perAddress: hourly(10) });
    const found = await statuses(url, 20, (i) => (i % 2 === 0 ? alice : {}));
    expect(found.filter((status) => status === 429)).toHaveLength(10);
  });
});
