import { Redis } from 'ioredis';
import { afterAll, inject } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { openLedger, type RedisLedger } from '../../../../tests/support/redis-ledger.ts';
import { Store, type StoreSettings } from '../../src/index.ts';

/** A connection to the shared Redis of the test run, or to the given one; closed after the tests of the file. */
export function testRedis(url = inject('redisUrl')): Redis {
  const redis = new Redis(url);
  afterAll(() => redis.disconnect());
  return redis;
}

/** A proxy to the shared Redis, or to the given one, that records the commands; closed after the tests of the file. */
export async function testLedger(url = inject('redisUrl')): Promise<RedisLedger> {
  const ledger = await openLedger(url);
  afterAll(() => ledger[Symbol.asyncDispose]());
  return ledger;
}

/** A store with its own key prefix, stopped after the tests of the file. By default connection errors are ignored. */
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
