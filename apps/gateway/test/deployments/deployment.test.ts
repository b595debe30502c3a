import { StoreError } from '@switchyard/store';
import { expect, test } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { Deployment } from '../../src/deployments/deployment.ts';
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
    emit: ({ kind }) => events.push(kind),
  });
  await deployment.start();
  expect(() => deployment.require()).toThrow('unavailable');
  refusal.reject(new StoreError('another number'));
  await until(() => deployment.isAnswering, { what: 'the deployment is reached' });
  expect(events).toEqual(['deployment-away', 'deployment-refuses', 'deployment-answers']);
  deployment.stop();
}, 40_000);
