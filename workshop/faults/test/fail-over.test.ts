import { expect, test } from 'vitest';
import { patience } from '../../../tests/support/until.ts';
import { type FailOverOptions, measureFailOver } from '../fail-overs.ts';
import { type RedisDeployment, startCluster, startSentinel } from '../redis/deployments.ts';

/** `npm run faults -- trials` holds outages to 6 and 10 s. Here other tests may run beside it, which make them longer. */
const OUTAGE_MS = 30_000 * patience;

async function expectToSurvive(redis: RedisDeployment, trial: FailOverOptions): Promise<void> {
  await using deployment = redis;
  const report = await measureFailOver(deployment, trial, () => undefined);
  expect(report.lost).toEqual([]);
  expect(report.undelivered).toEqual([]);
  expect(report.wedged).toBe(0);
  expect(report.worstOutageMs).toBeLessThan(OUTAGE_MS);
}

test('killed masters of a Cluster: nothing acknowledged is lost, webhooks are complete, no worker hangs', async () => {
  await expectToSurvive(await startCluster(), { rounds: 2, how: 'kill' });
});

test('masters of a Cluster that freeze until they are replaced: the same, with WAIT_REPLICAS=1', async () => {
  await expectToSurvive(await startCluster(), { rounds: 2, how: 'freeze', waitReplicas: 1 });
});

test('a killed master behind sentinels: nothing acknowledged is lost, no worker hangs', async () => {
  await expectToSurvive(await startSentinel(), { rounds: 1, how: 'kill' });
});
