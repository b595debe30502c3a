import { Redis } from 'ioredis';
import { afterAll, inject } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { openLedger, type RedisLedger } from '../../../../tests/support/redis-ledger.ts';
import { Store, type StoreSettings } from '../../src/index.ts';

/** A bare connection, to the run's Redis if no other is named, closed after the file's tests. */
export function testRedis(url = inject('redisUrl')): Redis {
  const redis = new Redis(url);
  afterAll(() => redis.disconnect());
  return redis;
}

/** A way to the run's Redis, if to no other one, that keeps count of what goes over it. */
export async function testLedger(url = inject('redisUrl')): Promise<RedisLedger> {
  const ledger = await openLedger(url);
  afterAll(() => ledger[Symbol.asyncDispose]());
  return ledger;
}

/** A store with keys of its own, stopped after the file's tests. Its connection errors fail nothing by themselves. */
export async function testStore(
  settings: Partial<StoreSettings> = {},
  onError: (error: Error) => void = () => undefined,
): Promise<Store> {
  const store = new Store({ redisUrl: inject('redisUrl'), prefix: uniquePrefix(), ...settings }, onError);
  afterAll(() => store.stop());
  await store.start();
  return store;
}

export const alice = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'echo' };
export const bob = { principal: { tenant: 'acme', subject: 'bob', scopes: [] }, agent: 'echo' };
