import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { Histogram, Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogue, Metrics } from '../src/index.ts';
import { IndexedHistogram } from '../src/metrics/indexed-histogram.ts';

const contexts = new AsyncLocalStorageContextManager();
beforeAll(() => void context.setGlobalContextManager(contexts.enable()));
afterAll(() => context.disable());

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OPEN_METRICS = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3';

/** Runs a function within a span. */
function inSpan(traceFlags: number, run: () => void): void {
  const span = trace.wrapSpanContext({ traceId: TRACE, spanId: 'b7ad6b7169203331', traceFlags });
  context.with(trace.setSpan(context.active(), span), run);
}

it('counters and histograms are rendered as text, and as OpenMetrics for clients that accept it', async () => {
  const metrics = new Metrics('worker');
  metrics.count('switchyard_swept_total', { what: 'silent' }, 3);
  metrics.observe('switchyard_queue_wait_seconds', 0.02, { agent: 'pizza' });
  for (const _ of ['first', 'again']) {
    const { type, text } = await metrics.render();
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain('# TYPE switchyard_swept_total counter\nswitchyard_swept_total{what="silent"} 3');
    expect(text).toContain('switchyard_queue_wait_seconds_bucket{le="0.025",agent="pizza"} 1');
    expect(text).not.toContain('# EOF');
    expect(text).toContain('switchyard_worker_nodejs_eventloop_lag_seconds');
    expect(text).not.toContain('_gc_');
    const open = await metrics.render(OPEN_METRICS);
    expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(open.text).toContain('# TYPE switchyard_swept counter\nswitchyard_swept_total{what="silent"} 3');
    expect(open.text).toContain('# TYPE switchyard_worker_process_cpu_seconds counter');
    expect(open.text.endsWith('# EOF\n')).toBe(true);
  }
});

it('a duration within a sampled trace has the trace id as its exemplar, in OpenMetrics only', async () => {
  const metrics = new Metrics('worker');
  const observe = (seconds: number): void => metrics.observe('switchyard_append_duration_seconds', seconds, {});
  inSpan(1, () => observe(0.002));
  inSpan(0, () => observe(0.04));
  observe(0.2);
  const { text } = await metrics.render(OPEN_METRICS);
  const exemplars = text.split('\n').filter((line) => line.includes('trace_id'));
  expect(exemplars).toHaveLength(1);
  expect(exemplars[0]).toMatch(
    new RegExp(
      `^switchyard_append_duration_seconds_bucket\\{le="0\\.0025"\\} 1 # \\{trace_id="${TRACE}"\\} 0\\.002 [\\d.]+$`,
    ),
  );
  expect((await metrics.render()).text).not.toContain('trace_id');
});

it.each([
  {
    labelNames: ['agent', 'outcome'],
    labels: [
      { agent: 'a', outcome: 'ok' },
      { outcome: 'no', agent: 'a' },
      { agent: 'b', outcome: 'ok' },
    ],
  },
  { labelNames: [], labels: [{}] },
])(
  'a histogram with $labelNames.length labels is rendered exactly like that of prom-client',
  async ({ labelNames, labels }) => {
    const registries = [new Registry(), new Registry()] as const;
    const config = { name: 'waits_seconds', help: 'Waits.', labelNames, buckets: [0.1, 1, 2.5] };
    const own = new IndexedHistogram({ ...config, registers: [registries[0]] });
    const theirs = new Histogram({ ...config, registers: [registries[1]] });
    const texts = () => Promise.all(registries.map((registry) => registry.metrics()));
    const [empty, expected] = await texts();
    expect(empty).toBe(expected);
    for (const [i, seconds] of [0, 0.1, 0.11, 1, 7, 2.5, 0.3].entries()) {
      const of = labels[i % labels.length] ?? {};
      own.record(of, seconds, undefined);
      theirs.observe(of, seconds);
    }
    const [text, same] = await texts();
    expect(text).toBe(same);
    expect(text).toContain('waits_seconds_count');
  },
);

it('a gauge that its collector does not set is not rendered', async () => {
  const metrics = new Metrics('gateway');
  let bytes: number | undefined = 5;
  metrics.collect('switchyard_redis_used_memory_bytes', (set) => {
    if (bytes !== undefined) set(bytes, {});
  });
  expect((await metrics.render()).text).toContain('switchyard_redis_used_memory_bytes 5');
  bytes = undefined;
  expect((await metrics.render()).text).not.toMatch(/^switchyard_redis_used_memory_bytes/m);
});

it('the names of metrics follow the conventions of Prometheus', () => {
  for (const [name, { type, help }] of Object.entries(catalogue)) {
    expect(name, 'a histogram ends with its unit, any other metric begins with switchyard_').toMatch(
      type === 'histogram' ? /_seconds$/ : /^switchyard_/,
    );
    expect(name.endsWith('_total'), `${name} ends with _total if and only if it is a counter`).toBe(type === 'counter');
    expect(help).toMatch(/\.$/);
  }
});
