import { expect, test } from 'vitest';
import { type TestStore, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import type { AuditEvent } from '../src/audit-event.ts';

const sent = (object: string, given: Partial<AuditEvent> = {}): AuditEvent => {
  return { at: new Date().toISOString(), what: 'send', outcome: 'ok', tenant: 'acme', object, ...given };
};

const numbered = (from: number, count: number): AuditEvent[] =>
  Array.from({ length: count }, (_, n) => sent(String(from + n)));

type AuditFilter = Partial<Parameters<TestStore['ops']['listAudit']>[0]>;

async function all(store: TestStore, query: AuditFilter = {}): Promise<(string | undefined)[]> {
  const objects: (string | undefined)[] = [];
  let pageToken = '';
  do {
    const page = await store.ops.listAudit({ pageSize: 7, ...query, pageToken });
    objects.push(...page.items.map(({ object }) => object));
    pageToken = page.nextPageToken;
  } while (pageToken);
  return objects;
}

const countedDown = (from: number, to: number): string[] =>
  Array.from({ length: from - to + 1 }, (_, n) => String(from - n));

test('an audit trail is listed in pages, latest first, with each event once', async () => {
  const store = await testStore();
  await store.audit.write(numbered(0, 5));
  await store.audit.write(numbered(5, 15));
  await store.audit.write(numbered(20, 1));
  expect(await all(store)).toEqual(countedDown(20, 0));
  expect(await all(store, { pageSize: 1 })).toEqual(countedDown(20, 0));
  expect(await all(store, { pageSize: 100 })).toEqual(countedDown(20, 0));
});

test('an audit trail is filtered by tenant, action and time; a page token is valid for the same filters', async () => {
  const store = await testStore();
  const before = Date.now();
  await store.audit.write([sent('a'), sent('b', { tenant: 'other' }), sent('c', { what: 'cancel' }), sent('d')]);
  expect(await all(store, { tenant: 'acme', pageSize: 2 })).toEqual(['d', 'c', 'a']);
  expect(await all(store, { what: 'cancel' })).toEqual(['c']);
  expect(await all(store, { tenant: 'other', what: 'cancel' })).toEqual([]);
  expect(await all(store, { sinceMs: before - 1_000 })).toHaveLength(4);
  expect(await all(store, { sinceMs: before + 60_000 })).toEqual([]);
  const { nextPageToken: pageToken } = await store.ops.listAudit({ pageSize: 1, tenant: 'acme' });
  await expect(store.ops.listAudit({ pageSize: 1, tenant: 'other', pageToken })).rejects.toThrow('page token');
});

test('an audit trail keeps the latest maxAuditEvents events', async () => {
  const store = await testStore({ maxAuditEvents: 20 });
  for (let n = 0; n < 100; n += 10) await store.audit.write(numbered(n, 10));
  expect(await all(store)).toEqual(countedDown(99, 80));
  const smaller = await testStore({ prefix: store.settings.prefix, maxAuditEvents: 5 });
  for (let n = 100; n < 105; n++) await smaller.audit.write(numbered(n, 1));
  expect(await all(store)).toEqual(countedDown(104, 100));
});

test('an audit trail keeps the latest maxAuditEvents events when large batches follow small ones', async () => {
  const store = await testStore({ maxAuditEvents: 100 });
  for (let n = 0; n < 100; n++) await store.audit.write(numbered(n, 1));
  for (let n = 100; n < 500; n += 100) await store.audit.write(numbered(n, 100));
  expect(await all(store, { pageSize: 100 })).toEqual(countedDown(499, 400));
});

test('an audit trail deletes events that are older than its retention, also without new events', async () => {
  const redis = testRedis();
  const store = await testStore({ auditRetentionMs: 60_000 });
  const key = `${store.settings.prefix}{agents}:audit`;
  const old = [sent('old')];
  const minutesAgo = Date.now() - 120_000;
  await redis.xadd(key, `${minutesAgo}-0`, 'batch', 'x', 'upto', 1, 'events', JSON.stringify(old));
  expect(await all(store)).toEqual([]);
  await store.audit.write([sent('new')]);
  expect(await redis.xlen(key)).toBe(1);
  expect(await all(store)).toEqual(['new']);
  expect(await redis.pttl(key)).toBeGreaterThan(55_000);
  expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
});
