import { Store } from '@switchyard/store';
import { expect, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { type RedisDeployment, startCluster, startSentinel } from '../redis/deployments.ts';

const scope = { principal: { tenant: 't', subject: 's', scopes: [] }, agent: 'a' };
const message = () => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] });

async function expectConfirmed(redis: RedisDeployment): Promise<void> {
  await using deployment = redis;
  const { url, shards } = deployment;
  const store = new Store({ redisUrl: url, shards, prefix: uniquePrefix(), waitReplicas: 1 }, () => undefined);
  await store.start();
  const said = message();
  const accepted = await store.tasks.accept(scope, { message: said });
  expect(accepted).toMatchObject({ verdict: 'accepted', isDuplicate: false });
  expect(await store.tasks.accept(scope, { message: said })).toMatchObject({ verdict: 'accepted', isDuplicate: true });

  const masters = await deployment.masters();
  const replicas = deployment.nodes.filter((node) => !masters.includes(node));
  for (const replica of replicas) replica.freeze();
  const jobs = await store.queue.waiting('a');
  await expect(store.tasks.accept(scope, { message: message() })).rejects.toThrow(/0 of 1 replicas have confirmed/);
  // It was written nevertheless, together with its job: both would be lost together with the master.
  expect(await store.queue.waiting('a')).toBe(jobs + 1);
  // The retry of an acknowledged message is not acknowledged either.
  await expect(store.tasks.accept(scope, { message: said })).rejects.toThrow(/0 of 1 replicas have confirmed/);
  // The same holds for a cancel, and for its retry.
  const taskId = accepted.verdict === 'accepted' ? accepted.taskId : '';
  await expect(store.tasks.cancel(scope, taskId)).rejects.toThrow(/0 of 1 replicas have confirmed/);
  await expect(store.tasks.cancel(scope, taskId)).rejects.toThrow(/0 of 1 replicas have confirmed/);
  for (const replica of replicas) replica.thaw();
  const isAccepted = async (): Promise<boolean> =>
    (await store.tasks.accept(scope, { message: message() })).verdict === 'accepted';
  await until(isAccepted, { what: 'a replica confirms again', timeoutMs: 10_000 });
  await store.stop();
}

test('with WAIT_REPLICAS=1 a message is acknowledged only when a replica behind sentinels has it', async () => {
  await expectConfirmed(await startSentinel());
});

test('with WAIT_REPLICAS=1 a message is acknowledged only when its replica in a Cluster has it', async () => {
  await expectConfirmed(await startCluster());
});
