import { Credentials } from '@switchyard/access';
import { RedisUnusable } from '@switchyard/store';
import { expect, test } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { Deployment } from '../../src/deployments/deployment.ts';
import { UnitedCredentials } from '../../src/deployments/united-credentials.ts';
import { Deployments } from './support.ts';

test('a deployment that refuses a gateway after its start is tried again', async () => {
  await using deployments = new Deployments();
  const store = await deployments.add(1);
  const refusal = Promise.withResolvers<void>();
  let tries = 0;
  const events: string[] = [];
  const deployment = new Deployment(1, {
    store,
    connect: () => (tries++ === 0 ? refusal.promise : Promise.resolve()),
    timeoutMs: 1_000,
    startWithinMs: 50,
    emit: ({ kind }) => events.push(kind),
  });
  await deployment.start();
  expect(() => deployment.require()).toThrow('unavailable');
  refusal.reject(new RedisUnusable('another number'));
  await until(() => deployment.isAnswering, { what: 'the deployment is reached' });
  expect(events).toEqual(['deployment-away', 'deployment-refuses', 'deployment-answers']);
  deployment.stop();
});

test('what subscribes to deployments ends also the subscription of one that is reached after the end', async () => {
  await using deployments = new Deployments();
  const store = await deployments.add(1);
  const reached = Promise.withResolvers<void>();
  const deployment = new Deployment(1, {
    store,
    connect: () => reached.promise,
    timeoutMs: 1_000,
    emit: () => undefined,
  });
  let [told, others] = [0, 0];
  const end = await new UnitedCredentials([deployment]).onChange(() => told++);
  await new Credentials(store.inside).onChange(() => others++);
  const started = deployment.start();
  end();
  reached.resolve();
  await started;
  await new Credentials(store.inside).create({ tenant: 'default', subject: 'ada', scopes: [] });
  await until(() => others > 0, { what: 'another subscriber is told' });
  expect(told).toBe(0);
  deployment.stop();
});
