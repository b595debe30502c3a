import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userMessage } from '../../../tests/support/messages.ts';
import { type RedisDeployment, startCluster } from '../redis/deployments.ts';

const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'echo' };
/** Enough for every shard. */
const MANY = 16;

let redis: RedisDeployment;
beforeAll(async () => {
  redis = await startCluster();
}, 60_000);
afterAll(() => redis?.[Symbol.asyncDispose]());

/** Sends the command to every master: only the one with the key executes it. */
async function ask(command: string): Promise<void> {
  await Promise.all((await redis.masters()).map((node) => node.ask(command)));
}

test('data of older releases is migrated on all masters of a Cluster', async () => {
  const store = new Store({ redisUrl: redis.url, shards: redis.shards, prefix: 'm' }, () => undefined);
  await using _ = { [Symbol.asyncDispose]: () => store.stop() };
  await store.start();
  const found = async (): Promise<number> =>
    (await new Ops(store).searchTasks({ agent: 'echo', pageSize: 1, hasText: false })).totalSize;
  const accepted = Array.from({ length: MANY }, () => store.tasks.accept(scope, { message: userMessage('hello') }));
  for (const one of await Promise.all(accepted)) if (one.verdict !== 'accepted') throw new Error(one.verdict);

  // As a release without an index of agents, counts and versions left them.
  const masters = await redis.masters();
  for (const node of masters) {
    const keys = (await node.ask('KEYS m{s*')).split('\r\n').filter((line) => line.startsWith('m{'));
    for (const key of keys) {
      if (/:t:[^:]+$/.test(key)) await node.ask(`HDEL ${key} index_time`);
      if (/:(?:a:echo|outbox:open)$/.test(key)) await node.ask(`DEL ${key}`);
    }
  }
  await ask('DEL m{agents}:schema');
  await store.schema.register();
  expect(await found()).toBe(0);

  await store.migrator.run(() => undefined, AbortSignal.timeout(20_000));
  expect(store.schema.latest).toMatchObject({ version: 1, migrated: 1 });
  expect(await found()).toBe(MANY);
  const [tenant] = await new Ops(store).tenants.list();
  expect(tenant).toMatchObject({ id: 'acme', openTasks: MANY });
}, 60_000);
