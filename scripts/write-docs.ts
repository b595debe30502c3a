// `npm run docs`: writes the tables of settings and metrics into their pages, the dashboard, the alert rules, and what
// the Helm chart has of all that.

import { readFileSync, writeFileSync } from 'node:fs';
import { chartFiles } from './chart/chart-files.ts';
import { withTable } from './docs/settings-tables.ts';
import { alertRules } from './metrics/alerts.ts';
import { dashboard } from './metrics/dashboard.ts';
import { withMetricTables } from './metrics/metric-tables.ts';

for (const file of ['README.md', 'docs/settings.md']) writeFileSync(file, withTable(file, readFileSync(file, 'utf8')));
writeFileSync('docs/metrics.md', withMetricTables(readFileSync('docs/metrics.md', 'utf8')));
writeFileSync('deploy/grafana/dashboards/switchyard.json', `${JSON.stringify(dashboard(), undefined, 2)}\n`);
writeFileSync('deploy/prometheus/alerts.yml', alertRules());
for (const [file, text] of Object.entries(chartFiles())) writeFileSync(file, text);
