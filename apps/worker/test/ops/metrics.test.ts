import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import { catalogue } from '@switchyard/telemetry';
import { expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { startProgram } from '../../../../tests/support/process.ts';
import { until } from '../../../../tests/support/until.ts';
import { Figures } from '../../src/telemetry/figures.ts';
import { WorkerMetrics } from '../../src/telemetry/metrics.ts';

/** No collector listens there: exemplars need traces, and do not need them to be received. */
const traced = { TRACES: 'otlp', TRACES_URL: 'http://127.0.0.1:9/v1/traces' };
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0';

it('a worker serves metrics of its turns on METRICS_PORT, and lists recent figures of itself', async () => {
  const prefix = uniquePrefix();
  const worker = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'examples/hello/agent.ts'],
    env: { REDIS_URL: inject('redisUrl'), KEY_PREFIX: prefix, METRICS_PORT: '0', ...traced },
  });
  const [, port] = await worker.waitFor(/"event":"measuring","port":(\d+)/, 20_000);
  const ask = (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, options);
  expect(await (await ask('/healthz')).json()).toEqual({ status: 'ok' });
  expect((await ask('/nothing')).status).toBe(404);
  expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
  expect(await statusFor(`localhost:${port}`, Number(port))).toBe(200);
  expect(await statusFor(`evil.example:${port}`, Number(port))).toBe(403);
  const store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
  await store.start();
  const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'hello' };
  await store.tasks.accept(scope, { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } });
  const counted = 'switchyard_turn_duration_seconds_count{agent="hello",outcome="TASK_STATE_COMPLETED"} 1';
  await until(async () => (await (await ask('/metrics')).text()).includes(counted), { what: 'the turn is counted' });
  const text = await (await ask('/metrics')).text();
  expect(text).toContain('switchyard_worker_nodejs_eventloop_lag_seconds');
  expect(text).toContain('switchyard_queue_wait_seconds_count{agent="hello"} 1');
  expect(text).toContain('switchyard_time_to_first_event_seconds_count{agent="hello"} 1');
  expect(text).toMatch(/^switchyard_append_duration_seconds_count [1-9]/m);
  const open = await ask('/metrics', { headers: { accept: OPEN_METRICS } });
  const exemplars = [...(await open.text()).matchAll(/^(\w+)_bucket\S+ \d+ # \{trace_id="[0-9a-f]{32}"\}/gm)];
  expect(exemplars.map(([, name]) => name)).toEqual(
    expect.arrayContaining(['switchyard_time_to_first_event_seconds', 'switchyard_turn_duration_seconds']),
  );
  expect(open.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  const reported = async () => (await new Ops(store).workers.list())[0];
  await until(async () => (await reported())?.figures?.ended === 1, { what: 'the turn is reported' });
  const { version, figures } = (await reported()) ?? {};
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(figures?.failed).toBe(0);
  expect(figures?.queueWaitP95Ms).toBeLessThanOrEqual(figures?.firstEventP95Ms ?? 0);
  await store.stop();
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
});

it('a worker whose METRICS_PORT is taken ends with the reason, before it takes any turn', async () => {
  const prefix = uniquePrefix();
  const store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
  await store.start();
  const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'hello' };
  await store.tasks.accept(scope, { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = Object(taken.address());
  const worker = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'examples/hello/agent.ts'],
    env: { REDIS_URL: inject('redisUrl'), KEY_PREFIX: prefix, METRICS_PORT: String(port) },
  });
  expect(await worker.exited).toBe(2);
  expect(worker.output()).toContain(
    `  METRICS_PORT: this worker cannot have the port (listen EADDRINUSE: address already in use 127.0.0.1:${port})\n`,
  );
  expect(worker.output()).not.toMatch(/turn-begun|^ +at /m);
  taken.close();
  await store.stop();
});

/** With `http.get`, because `fetch` does not let its caller set the Host header. */
async function statusFor(host: string, port: number): Promise<number | undefined> {
  const [response] = await once(get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }), 'response');
  response.resume();
  return response.statusCode;
}

it('a worker serves exactly those metrics that the catalogue lists for workers', async () => {
  const metrics = new WorkerMetrics();
  metrics.measure({ runningTurns: () => new Map([['pizza', 2]]), observe: () => undefined });
  const { text } = await metrics.render();
  const served = [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name, type]) => [name, type]);
  const own = served.filter(([name]) => !name?.startsWith('switchyard_worker_'));
  const wanted = Object.entries(catalogue).filter(([, { of }]) => of === 'worker');
  expect(own.sort()).toEqual(wanted.map(([name, { type }]) => [name, type]).sort());
  expect(text).toContain('switchyard_running_turns{agent="pizza"} 2');
});

it('stored files are those of the last look', async () => {
  const metrics = new WorkerMetrics();
  metrics.measure({ runningTurns: () => new Map(), observe: () => undefined });
  const { count } = metrics;
  expect((await metrics.render()).text).not.toMatch(/^switchyard_stored_file/m);
  count({ kind: 'files-swept', count: 3, bytes: 50 });
  count({ kind: 'files-swept', count: 2, bytes: 40 });
  const { text } = await metrics.render();
  expect(text).toContain('switchyard_stored_files 2\n');
  expect(text).toContain('switchyard_stored_file_bytes 40\n');
});

it('counters of repairs begin with 0, so that Prometheus sees the first increase', async () => {
  const { count, render } = boundMetrics();
  count({ kind: 'started', agents: ['pizza'] });
  const { text } = await render();
  for (const agent of ['pizza', '@remote'])
    expect(text).toContain(`switchyard_turns_taken_over_total{agent="${agent}"} 0\n`);
  for (const what of ['silent', 'canceled']) expect(text).toContain(`switchyard_swept_total{what="${what}"} 0\n`);
});

const turn = { taskId: 't-1', contextId: 'c-1', tenant: 'acme', attempt: 1 };

it('turns that are taken over, fenced or given up are counted by agent; remote agents count as "@remote"', async () => {
  const { count, render } = boundMetrics();
  const begun = { ...turn, agent: '@https://one.example/card', waitedMs: 4 };
  count({ kind: 'turn-taken-over', takenOverFrom: 'other', ...begun });
  count({ kind: 'turn-taken-over', takenOverFrom: 'other', ...begun, agent: '@https://two.example/card' });
  const ended = { ...turn, agent: 'pizza', durationMs: 20 };
  count({ kind: 'turn-fenced', ...ended, outcome: 'interrupted-taken-over' });
  count({ kind: 'turn-given-up', ...ended, outcome: 'failed', attempts: 3 });
  count({ kind: 'turn-given-up', agent: 'pizza', taskId: 't-2', attempts: 3 });
  count({ kind: 'push-answered', outcome: 'refused', durationMs: 30 });
  const { text } = await render();
  expect(text).toContain('switchyard_turns_taken_over_total{agent="@remote"} 2');
  expect(text).toContain('switchyard_queue_wait_seconds_bucket{le="0.005",agent="@remote"} 2');
  expect(text).toContain('switchyard_fenced_writes_total{agent="pizza"} 1');
  expect(text).toContain('switchyard_turns_given_up_total{agent="pizza"} 2');
  expect(text).toContain('switchyard_turn_duration_seconds_count{agent="pizza",outcome="failed"} 1');
  expect(text).toContain('switchyard_push_delivery_duration_seconds_count{outcome="refused"} 1');
});

function boundMetrics(): Pick<WorkerMetrics, 'count' | 'render'> {
  const metrics = new WorkerMetrics();
  return { count: metrics.count, render: () => metrics.render() };
}

it('figures have the 95th percentile of waits, and the numbers of ended and failed turns', () => {
  const figures = new Figures();
  expect(figures.read()).toEqual({ ended: 0, failed: 0, queueWaitP95Ms: null, firstEventP95Ms: null });
  for (let ms = 1; ms <= 100; ms++) figures.count({ kind: 'turn-begun', ...turn, agent: 'pizza', waitedMs: ms * 10 });
  figures.count({ kind: 'turn-begun', ...turn, agent: 'pizza' });
  figures.count({ kind: 'first-event', agent: 'pizza', afterMs: 0.2 });
  figures.count({ kind: 'turn-ended', ...turn, agent: 'pizza', outcome: 'TASK_STATE_COMPLETED', durationMs: 5 });
  figures.count({ kind: 'turn-ended', ...turn, agent: 'pizza', outcome: 'TASK_STATE_FAILED', durationMs: 5 });
  figures.count({ kind: 'turn-given-up', ...turn, agent: 'pizza', attempts: 3 });
  const { queueWaitP95Ms, ...others } = figures.read();
  expect(others).toEqual({ ended: 3, failed: 2, firstEventP95Ms: 1 });
  expect(queueWaitP95Ms).toBeGreaterThanOrEqual(940);
  expect(queueWaitP95Ms).toBeLessThanOrEqual(960);
});
