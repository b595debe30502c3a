import { type CatalogueEntry, catalogue } from '@switchyard/telemetry';
import { alerts } from './alerts.ts';

const marks = {
  metrics: ['<!-- metrics: written by npm run docs -->', '<!-- end of metrics -->'],
  alerts: ['<!-- alerts: written by npm run docs -->', '<!-- end of alerts -->'],
} as const;

/** docs/metrics.md with its generated tables. @throws {Error} the page lacks the markers */
export function withMetricTables(page: string): string {
  return between(between(page, marks.metrics, metricTable()), marks.alerts, alertTable());
}

function between(page: string, [begin, end]: readonly [string, string], table: string): string {
  const [before, rest = ''] = page.split(begin);
  const [, after] = rest.split(end);
  if (before === undefined || after === undefined) throw new Error(`docs/metrics.md has no ${begin}`);
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}

function metricTable(): string {
  const entries: readonly [string, CatalogueEntry][] = Object.entries(catalogue);
  return [
    '| metric | type | of | |',
    '|---|---|---|---|',
    ...entries.map(
      ([name, { type, of, labels, help }]) =>
        `| \`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\` | ${type} | ${of} | ${help.slice(0, -1)} |`,
    ),
  ].join('\n');
}

function alertTable(): string {
  return [
    '| alert | | fires when | for | what to do |',
    '|---|---|---|---|---|',
    ...alerts.map(
      ({ name, severity, expr, lasts, whatToDo }) =>
        `| \`${name}\` | ${severity} | \`${expr.replaceAll('|', '\\|')}\` | ${lasts} | ${whatToDo} |`,
    ),
  ].join('\n');
}
