import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { isOutage, type Store } from '../src/index.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

let server: TestRedis;
let store: Store;
const errors: Error[] = [];
beforeAll(async () => {
  server = await startRedis();
  store = await testStore({ redisUrl: server.url }, (error) => errors.push(error));
});
afterAll(() => server.stop());

const isRefusal = (error: unknown): boolean => error instanceof Error && /^(?:NOAUTH|WRONGPASS)/.test(error.message);

/** Fails if the store considers Redis reachable within this time. */
async function expectOutage(forMs: number): Promise<void> {
  await until(() => !store.isAnswering, { what: 'the outage is noticed' });
  const since = performance.now();
  const isOver = (): boolean => {
    expect(store.isAnswering).toBe(false);
    return performance.now() - since > forMs;
  };
  await until(isOver, { what: 'the outage has lasted', timeoutMs: 2 * forMs });
}

describe('an outage', () => {
  test('is known until it ends, also when connections are replaced', async ({ skip }) => {
    const { pid } = server;
    if (pid === undefined) return skip('the server is not a process of this machine');
    process.kill(pid, 'SIGSTOP');
    try {
      await expectOutage(8_000);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until(() => store.isAnswering, { what: 'the outage is over' });
  });

  test('includes a refusal of the credentials, which is noticed without a request', async () => {
    const admin = testRedis(server.url);
    await admin.config('SET', 'requirepass', 'rotated');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    try {
      // A command sent before the client notices the closed connection would wait until the credentials are right.
      await until(() => errors.some(isRefusal), { what: 'a new connection is refused' });
      const refused = await store.tasks.read(alice, 'any').catch((error: unknown) => error);
      expect(refused).toSatisfy(isOutage);
      expect(refused).toSatisfy(isRefusal);
      await expectOutage(2_000);
    } finally {
      await admin.config('SET', 'requirepass', '');
    }
    await until(() => store.isAnswering, { what: 'the outage is over' });
  });

  test('includes a missing permission', async () => {
    const admin = testRedis(server.url);
    await admin.call('ACL', 'SETUSER', 'reader', 'on', '>secret', '~*', '&*', '+@all');
    const url = server.url.replace('//', '//reader:secret@');
    const restricted = await testStore({ redisUrl: url });
    await admin.call('ACL', 'SETUSER', 'reader', '-evalsha', '-eval');
    await expect(restricted.tasks.read(alice, 'any')).rejects.toSatisfy(isOutage);
  });

  test('is reported as "refuses-writes" while Redis answers but refuses writes', async () => {
    const admin = testRedis(server.url);
    expect(await store.availability()).toBe('writable');
    await admin.config('SET', 'maxmemory', '1');
    expect(await store.availability()).toBe('refuses-writes');
    await admin.config('SET', 'maxmemory', '0');
    await admin.replicaof('127.0.0.1', '1');
    // The connection reconnects until it finds a master.
    expect(await store.availability()).toBe('unreachable');
    await admin.replicaof('NO', 'ONE');
    expect(await store.availability()).toBe('writable');
  });
});
