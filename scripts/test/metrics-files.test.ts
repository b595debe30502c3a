import { readFileSync } from 'node:fs';
import { type CatalogueEntry, catalogue, Metrics } from '@switchyard/telemetry';
import { describe, expect, it } from 'vitest';
import { alertRules, alerts } from '../metrics/alerts.ts';
import { dashboard } from '../metrics/dashboard.ts';
import { withMetricTables } from '../metrics/metric-tables.ts';
import { rows } from '../metrics/panels.ts';
import { queryProblems, type Registered } from '../metrics/query-problems.ts';

const panels = rows.flatMap((row) => row.panels);
const queries = panels.flatMap(({ title, queries }) => queries.map((query) => ({ title, ...query })));
const registered: Registered = await registeredMetrics();

/** The series of a gateway and a worker in Prometheus, and its own `up`. */
async function registeredMetrics(): Promise<Registered> {
  const homes = await Promise.all([new Metrics('gateway').render(), new Metrics('worker').render()]);
  const ofNode = homes.flatMap(({ text }) => [...text.matchAll(/^# TYPE (\S+) (?:gauge|counter)/gm)]);
  const entries: readonly [string, CatalogueEntry][] = Object.entries(catalogue);
  return new Map([
    ['up', new Set<string>()],
    ...ofNode.map(([, name = '']) => [name, new Set<string>()] as const),
    ...entries.flatMap(([name, entry]) => seriesOf(name, entry)),
  ]);
}

function seriesOf(name: string, { type, labels }: CatalogueEntry): [name: string, labels: Set<string>][] {
  if (type !== 'histogram') return [[name, new Set(labels)]];
  const ends = ['_sum', '_count'].map((end): [string, Set<string>] => [name + end, new Set(labels)]);
  return [[`${name}_bucket`, new Set(['le', ...labels])], ...ends];
}

describe('the dashboard and the alert rules', () => {
  it('are up to date (npm run docs)', () => {
    expect(JSON.parse(readFileSync('deploy/grafana/dashboards/switchyard.json', 'utf8'))).toEqual(dashboard());
    expect(readFileSync('deploy/prometheus/alerts.yml', 'utf8')).toBe(alertRules());
    const page = readFileSync('docs/metrics.md', 'utf8');
    expect(withMetricTables(page)).toBe(page);
  });

  it.each(queries)('"$title" queries existing metrics and labels', ({ expr, legend }) => {
    expect(queryProblems(expr, registered)).toEqual([]);
    const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(named.filter((label) => !expr.includes(`${label}`) && label !== 'instance')).toEqual([]);
  });

  it('alerts on waiting messages leave paused agents out, which KEDA gives no workers', () => {
    const onWaiting = alerts.filter(({ expr }) => /switchyard_queue_(?:jobs|oldest_seconds)/.test(expr));
    expect(onWaiting.map(({ name }) => name)).toEqual(['SwitchyardNoWorker', 'SwitchyardQueueOld']);
    for (const { expr } of onWaiting) expect(expr).toContain('and max by (agent) (switchyard_agent_paused) == 0');
  });

  it.each(alerts)('$name queries existing metrics and labels', ({ expr, summary }) => {
    expect(queryProblems(expr, registered)).toEqual([]);
    const named = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    expect(named.filter((label) => !expr.includes(`${label}`) && label !== 'instance')).toEqual([]);
  });

  it('use every metric of the catalogue', () => {
    const asked = [...queries, ...alerts].map(({ expr }) => expr).join('\n');
    expect(Object.keys(catalogue).filter((name) => !new RegExp(`${name}(?:_bucket|_count)?\\b`).test(asked))).toEqual(
      [],
    );
  });

  it('have panels that do not overlap', () => {
    const { panels: drawn } = dashboard() as {
      panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
    };
    const cells = drawn.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(drawn.map(({ id }) => id)).size).toBe(drawn.length);
    expect(Math.max(...drawn.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });
});

describe('the check of queries', () => {
  it.each([
    ['sum(rate(switchyard_nothing_total[5m]))', ['no metric switchyard_nothing_total']],
    ['switchyard_swept_total{why="x"}', ['switchyard_swept_total has no label why']],
    ['sum by (agent) (switchyard_swept_total)', ['no label agent to group by']],
    ['switchyard_queue_wait_seconds', ['no metric switchyard_queue_wait_seconds']],
    ['sum by (what (switchyard_swept_total)', ['not understood from here: (switchyard_swept_total)']],
    ['{__name__=~"switchyard_(a|b)_none"}', ['no metric is like switchyard_(a|b)_none']],
    [
      'max by (agent) (switchyard_agent_workers) == 0 and on (agent) switchyard_agent_paused{agent="a", up="b"} > 1',
      ['switchyard_agent_paused has no label up'],
    ],
  ])('reports the problem of %s', (query, problems) => {
    expect(queryProblems(query, registered)).toEqual(problems);
  });
});
