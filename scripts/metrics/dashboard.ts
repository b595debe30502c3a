import { type Panel, type Row, rows, type Unit } from './panels.ts';

const COLUMNS = 24;
const FIGURE = { w: 3, h: 4 };
const GRAPH = { w: 8, h: 8 };
const datasource = { type: 'prometheus', uid: '$datasource' };

/** Grafana's dashboard, as it is imported and provisioned. */
export function dashboard(): object {
  return {
    title: 'Switchyard',
    uid: 'switchyard',
    description: 'Written by npm run docs from scripts/metrics/panels.ts.',
    tags: ['switchyard', 'a2a'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '10s',
    time: { from: 'now-30m', to: 'now' },
    templating: { list: [datasourceVariable, agentVariable] },
    panels: laidOut(rows),
  };
}

const datasourceVariable = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };
const agentVariable = {
  name: 'agent',
  label: 'Agent',
  type: 'query',
  datasource,
  query: 'label_values(switchyard_agent_workers, agent)',
  refresh: 2,
  includeAll: true,
  allValue: '.*',
  multi: true,
  current: { text: 'All', value: '$__all' },
  sort: 1,
};

/** From left to right, each row of panels under its title. */
function laidOut(all: readonly Row[]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: some } of all) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y++;
    let x = 0;
    let height = 0;
    for (const panel of some) {
      const { w, h } = panel.figure ? FIGURE : GRAPH;
      if (x + w > COLUMNS) {
        x = 0;
        y += height;
      }
      panels.push({ id: panels.length + 1, ...drawn(panel), gridPos: { x, y, w, h } });
      x += w;
      height = h;
    }
    y += height;
  }
  return panels;
}

function drawn(panel: Panel): object {
  const { title, text, queries, unit } = panel;
  const targets = queries.map(({ expr, legend }, at) => ({
    refId: String.fromCharCode(65 + at),
    datasource,
    expr,
    legendFormat: legend,
    ...(expr.includes('_bucket') && { exemplar: true }),
  }));
  return {
    ...(panel.figure ? figure(unit, panel.figure.redFrom) : graph(panel)),
    title,
    description: text,
    datasource,
    targets,
  };
}

function figure(unit: Unit, redFrom: number | undefined): object {
  const steps = [{ color: 'text', value: null }, ...(redFrom === undefined ? [] : [{ color: 'red', value: redFrom }])];
  return {
    type: 'stat',
    fieldConfig: { defaults: { unit, noValue: '0', thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: { graphMode: 'area', colorMode: 'value', reduceOptions: { calcs: ['lastNotNull'], values: false } },
  };
}

function graph({ unit, isStacked = false }: Panel): object {
  const custom = {
    lineWidth: 1,
    fillOpacity: isStacked ? 30 : 8,
    showPoints: 'never',
    stacking: { mode: isStacked ? 'normal' : 'none' },
  };
  return {
    type: 'timeseries',
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  };
}
