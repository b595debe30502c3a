import { NotReplicated } from '@switchyard/redis';
import { expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { type ApiKeyParts, apiKeyParts } from '../src/api-key.ts';

const redis = testRedis();
const draft = { tenant: 'acme', subject: 'alice', scopes: ['send', 'read'], agents: ['echo'], note: 'her laptop' };
const partsOf = (key: string): ApiKeyParts => apiKeyParts(key) ?? { id: '', secret: '' };

test('an API key is verified by its id and its secret', async () => {
  const { credentials } = await testStore();
  const { key, credential } = await credentials.create(draft);
  expect(key).toMatch(/^swk_[0-9a-f]{12}_[\w-]{43}$/);
  expect(await credentials.verify(partsOf(key))).toEqual(credential);
  expect(credential).toMatchObject(draft);
});

test('an API key with the secret of another key or an unknown id is not verified', async () => {
  const { credentials } = await testStore();
  const [one, another] = [await credentials.create(draft), await credentials.create(draft)];
  const { id } = partsOf(one.key);
  const { secret } = partsOf(another.key);
  expect(await credentials.verify({ id, secret })).toBeUndefined();
  expect(await credentials.verify({ id: '0123456789ab', secret })).toBeUndefined();
});

test.each([
  'swk_0123456789ab',
  'swk_0123456789ab_short',
  `swk_0123456789ab_${'x'.repeat(44)}`,
  `swk_x_${'x'.repeat(43)}`,
])('%s is not an API key', (text) => expect(apiKeyParts(text)).toBeUndefined());

test('the secret of a key is not stored in Redis', async () => {
  const store = await testStore();
  const { key } = await store.credentials.create(draft);
  const entries = await redis.hgetall(`${store.settings.prefix}{agents}:credentials`);
  expect(Object.keys(entries)).toEqual([partsOf(key).id]);
  expect(JSON.stringify(entries)).not.toContain(partsOf(key).secret);
  expect(JSON.stringify(await store.credentials.list())).not.toMatch(/hash|secret/);
});

test('a revoked key has the time of its revocation, which is announced to all gateways', async () => {
  const { credentials } = await testStore();
  const { key, credential } = await credentials.create(draft);
  const changed: (string | undefined)[] = [];
  await credentials.onChange((id) => changed.push(id));
  const revoked = await credentials.revoke(credential.id);
  expect(Date.parse(revoked?.revokedAt ?? '')).toBeGreaterThan(0);
  expect(await credentials.verify(partsOf(key))).toEqual(revoked);
  expect(await credentials.revoke(credential.id)).toEqual(revoked);
  expect(await credentials.revoke('0123456789ab')).toBeUndefined();
  await until(() => changed.length === 2, { what: 'both revocations are announced' });
  expect(changed).toEqual([credential.id, credential.id]);
});

test('with waitReplicas, a revocation fails if the replicas do not confirm it', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const plain = await testStore({ redisUrl: server.url });
  const { credential } = await plain.credentials.create(draft);
  const waiting = await testStore({ redisUrl: server.url, prefix: plain.settings.prefix, waitReplicas: 1 });
  await expect(waiting.credentials.revoke(credential.id)).rejects.toThrow(NotReplicated);
  await Promise.all([plain.stop(), waiting.stop()]);
});

test('revokeTenant revokes all keys of a tenant, and no other', async () => {
  const { credentials } = await testStore();
  for (const tenant of ['acme', 'acme', 'initech']) await credentials.create({ ...draft, tenant });
  await credentials.revokeTenant('acme');
  const keys = await credentials.list();
  expect(keys.map(({ tenant, revokedAt }) => [tenant, revokedAt !== undefined]).sort()).toEqual([
    ['acme', true],
    ['acme', true],
    ['initech', false],
  ]);
});

test('a key that expired more than 30 days ago is deleted when keys are listed', async () => {
  const store = await testStore();
  const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  await store.credentials.create({ ...draft, expiresAt: ago(31) });
  const { credential } = await store.credentials.create({ ...draft, expiresAt: ago(29) });
  expect(await store.credentials.list()).toEqual([credential]);
  expect(await redis.hlen(`${store.settings.prefix}{agents}:credentials`)).toBe(1);
});

test('a damaged entry is listed and can be revoked, as all other keys', async () => {
  const { credentials, settings } = await testStore();
  const { credential } = await credentials.create(draft);
  const id = '0123456789ab';
  await redis.hset(`${settings.prefix}{agents}:credentials`, id, '{"tenant":"ac');
  const damaged = { id, note: expect.stringContaining('damaged') };
  expect(await credentials.list()).toEqual([credential, expect.objectContaining(damaged)]);
  expect(await credentials.verify({ id, secret: 'any' })).toBeUndefined();
  expect(await credentials.revokeTenant('acme')).toBe(1);
  expect(await credentials.revoke(id)).toHaveProperty('revokedAt');
});
