import { Ops } from '@switchyard/operators';
import { expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { submit } from '../support/client.ts';
import { fieldsOf, openAdminStage } from './support.ts';

interface Load {
  readonly jobs: number;
  readonly oldestWaitMs: number;
}

it('the load of an agent counts waiting and running jobs over all shards', async () => {
  await using stage = await openAdminStage({ shards: 4 });
  const load = async () => (await stage.ask<Load>('/admin/load?agents=echo')).body;
  expect(await load()).toEqual({ jobs: 0, oldestWaitMs: 0 });
  await Promise.all(Array.from({ length: 12 }, () => submit(stage.url)));
  await until(async () => (await load()).oldestWaitMs > 0, { what: 'the next job has waited' });
  expect((await load()).jobs).toBe(12);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let running = 0;
  const run = async () => {
    running++;
    await held;
    return { retryAfterMs: 60_000 };
  };
  const worker = stage.store.turns.consume({
    queue: 'echo',
    concurrency: 4,
    maxAttempts: 1,
    run,
    onError: () => release(),
  });
  await worker.start();
  await until(() => running === 4, { what: 'four jobs run' });
  expect((await load()).jobs).toBe(12);
  await new Ops(stage.store).agents.pause('echo');
  expect(await load()).toEqual({ jobs: 4, oldestWaitMs: 0 });
  release();
  await until(async () => (await load()).jobs === 0, { what: 'nothing of a paused agent runs' });
  await worker.stop();
  await new Ops(stage.store).agents.resume('echo');
  expect((await load()).jobs).toBe(12);
});

it('an agent that was never announced counts as one job, so that a worker is started for it', async () => {
  await using stage = await openAdminStage();
  const { body } = await stage.ask<Load>('/admin/load?agents=echo,new-one,new-one,other-one');
  expect(body).toEqual({ jobs: 2, oldestWaitMs: 0 });
});

it('the metrics key reads the load, and a wrong agent id is named', async () => {
  const metricsKey = 'a-key-for-metrics-alone';
  await using stage = await openAdminStage({}, { metricsKey });
  const headers = { 'x-api-key': metricsKey };
  expect((await fetch(`${stage.adminUrl}/admin/load?agents=echo`, { headers })).status).toBe(200);
  expect((await fetch(`${stage.adminUrl}/admin/agents`, { headers })).status).toBe(403);
  const answer = await stage.ask<never>('/admin/load?agents=Echo');
  expect([answer.status, fieldsOf(answer)]).toEqual([400, ['agents']]);
});
