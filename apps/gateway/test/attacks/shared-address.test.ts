import { Credentials } from '@switchyard/access';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Issuer, openIssuer } from '../../../../tests/support/issuer.ts';
import { until } from '../../../../tests/support/until.ts';
import { defaultRateSettings } from '../../src/settings/limit-settings.ts';
import { jwtSettings } from '../support/jwt-settings.ts';
import { everyBinding, type Probe, probeAll, probesOf } from '../support/probe-bindings.ts';
import { openStage, type Stage } from '../support/stage.ts';

const draft = { tenant: 'acme', subject: 'alice', scopes: [] };
const failedAuthPerAddress = { count: 20, seconds: 3_600 };

let issuer: Issuer;
let stage: Stage;
let url: string;
let probes: Readonly<Record<string, Probe>>;

beforeAll(async () => {
  issuer = await openIssuer();
  const auth = { keys: [], keyCacheMs: 1, jwt: jwtSettings(issuer.url) };
  const grpc = { port: 0, publicAddress: 'auto' };
  stage = await openStage({ gateway: { auth } });
  url = await stage.another({ auth, grpc, rates: { ...defaultRateSettings, failedAuthPerAddress } });
  probes = await probesOf(url);
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const withKey = (key: string) => ({ 'x-api-key': key });
const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

/** Uses up all failures that the address may have, with well-formed keys. */
async function guess(): Promise<void> {
  const status = async (i: number) =>
    (await fetch(`${url}/tasks`, { headers: withKey(`wrong-key-number-${i}-0123`) })).status;
  const found = await Promise.all(Array.from({ length: 40 }, (_, i) => status(i)));
  expect(found).toContain(429);
}

function passes(ms: number): void {
  const now = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => spy.mockRestore());
}

it('A client that guesses keys does not lock out callers at its address with verified credentials', async () => {
  const { key } = await new Credentials(stage.store.inside).create(draft);
  const revoked = await new Credentials(stage.store.inside).create({ ...draft, subject: 'bob' });
  const unknown = await new Credentials(stage.store.inside).create({ ...draft, subject: 'carol' });
  const token = await issuer.token();
  for (const headers of [withKey(key), withKey(revoked.key), bearing(token)])
    expect(await probeAll(probes, headers)).toEqual(everyBinding(200));
  await guess();
  // Longer than KEY_CACHE_MS, and than tokens are cached.
  passes(61_000);
  await guess();
  expect(await probeAll(probes, withKey(key))).toEqual(everyBinding(200));
  expect(await probeAll(probes, bearing(token))).toEqual(everyBinding(200));
  expect(await probeAll(probes, withKey(`${key}x`))).toEqual(everyBinding(429));
  expect(await probeAll(probes, bearing(`${token}x`))).toEqual(everyBinding(429));
  expect(await probeAll(probes, withKey(unknown.key))).toEqual(everyBinding(429));
  await new Credentials(stage.store.inside).revoke(revoked.credential.id);
  const isGuess = async () => (await fetch(`${url}/tasks`, { headers: withKey(revoked.key) })).status === 429;
  await until(isGuess, { what: 'the revoked key is treated as a guess', timeoutMs: 1_000 });
});
