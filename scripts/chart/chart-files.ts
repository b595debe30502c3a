import { readFileSync } from 'node:fs';
import { alertRules } from '../metrics/alerts.ts';
import { dashboard } from '../metrics/dashboard.ts';
import { valuesSchema } from './values-schema.ts';
import { valuesTable } from './values-table.ts';

const chart = 'deploy/helm/switchyard';
const begin = '<!-- values: written by npm run docs -->';
const end = '<!-- end of values -->';

/** What `npm run docs` writes of the chart, by path. */
export function chartFiles(): Readonly<Record<string, string>> {
  return {
    [`${chart}/values.schema.json`]: json(valuesSchema()),
    [`${chart}/files/alerts.yml`]: alertRules(),
    [`${chart}/files/dashboard.json`]: json(dashboard()),
    [`${chart}/README.md`]: withValues(readFileSync(`${chart}/README.md`, 'utf8')),
  };
}

/** @throws {Error} the page has no place for them */
function withValues(page: string): string {
  const [before, rest = ''] = page.split(begin);
  const [, after] = rest.split(end);
  if (before === undefined || after === undefined) throw new Error('the chart’s README has no place for values');
  return `${before}${begin}\n\n${valuesTable(readFileSync(`${chart}/values.yaml`, 'utf8'))}\n\n${end}${after}`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
