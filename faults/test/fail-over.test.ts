import { expect, test } from 'vitest';
import { measureFailOver } from '../fail-over/measure-fail-over.ts';
import { startCluster } from '../support/cluster.ts';
import type { RedisDeployment } from '../support/deployment.ts';
import { startSentinel } from '../support/sentinel.ts';

const say = (): void => undefined;

async function expectToSurvive(redis: RedisDeployment, rounds: number, how: 'kill' | 'freeze'): Promise<void> {
  await using deployment = redis;
  const report = await measureFailOver(deployment, { rounds, how, say });
  expect(report.lost).toEqual([]);
  expect(report.wedged).toBe(0);
  expect(report.worstOutageMs).toBeLessThan(6_000);
  expect(report.requests).toBeGreaterThan(50);
}

test('masters of a Cluster die under load: nothing that was acknowledged is lost, no worker hangs', async () => {
  await expectToSurvive(await startCluster(), 2, 'kill');
}, 120_000);

test('a master behind sentinels dies under load: nothing that was acknowledged is lost, no worker hangs', async () => {
  await expectToSurvive(await startSentinel(), 1, 'kill');
}, 120_000);
