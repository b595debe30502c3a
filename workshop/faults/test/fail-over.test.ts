import { expect, test } from 'vitest';
import { type FailOverOptions, measureFailOver } from '../fail-overs.ts';
import { type RedisDeployment, startCluster, startSentinel } from '../redis/deployments.ts';

type Trial = FailOverOptions & { readonly outageMs: number };

async function expectToSurvive(redis: RedisDeployment, { outageMs, ...trial }: Trial): Promise<void> {
  await using deployment = redis;
  const report = await measureFailOver(deployment, trial, () => undefined);
  expect(report.lost).toEqual([]);
  expect(report.undelivered).toEqual([]);
  expect(report.wedged).toBe(0);
  expect(report.worstOutageMs).toBeLessThan(outageMs);
  expect(report.requests).toBeGreaterThan(50);
}

test('masters of a Cluster die under load: nothing acknowledged is lost, webhooks get all events, no worker hangs', async () => {
  await expectToSurvive(await startCluster(), { rounds: 2, how: 'kill', outageMs: 6_000 });
}, 120_000);

test('masters of a Cluster freeze until they are replaced, and wake up: with WAIT_REPLICAS=1 it is the same', async () => {
  await expectToSurvive(await startCluster(), { rounds: 2, how: 'freeze', waitReplicas: 1, outageMs: 10_000 });
}, 120_000);

test('a master behind sentinels dies under load: nothing that was acknowledged is lost, no worker hangs', async () => {
  await expectToSurvive(await startSentinel(), { rounds: 1, how: 'kill', outageMs: 6_000 });
}, 120_000);
