import { Store } from '@switchyard/store';
import { expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { startProgram } from '../../../../tests/support/process.ts';
import { until } from '../../../../tests/support/until.ts';

it('a worker has metrics of its turns, on its own port', async () => {
  const prefix = uniquePrefix();
  const worker = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'examples/hello/agent.ts'],
    env: { REDIS_URL: inject('redisUrl'), KEY_PREFIX: prefix, METRICS_PORT: '0' },
  });
  const [, port] = await worker.waitFor(/"event":"measuring","port":(\d+)/, 20_000);
  const ask = (path: string, method = 'GET'): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`, { method });
  expect(await (await ask('/healthz')).json()).toEqual({ status: 'ok' });
  expect((await ask('/nothing')).status).toBe(404);
  expect((await ask('/metrics', 'POST')).status).toBe(405);
  const store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
  await store.start();
  const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'hello' };
  await store.tasks.accept(scope, { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } });
  const told = 'switchyard_turn_duration_seconds_count{agent="hello",outcome="TASK_STATE_COMPLETED"} 1';
  await until(async () => (await (await ask('/metrics')).text()).includes(told), { what: 'the turn is counted' });
  expect(await (await ask('/metrics')).text()).toContain('switchyard_worker_nodejs_eventloop_lag_seconds');
  await store.stop();
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
}, 30_000);
