import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chartFiles } from '../chart/chart-files.ts';

it('the generated files of the chart are up to date: settings, alerts, dashboard and values (npm run docs)', () => {
  const files = Object.entries(chartFiles());
  expect(files).toHaveLength(4);
  for (const [file, text] of files) expect(readFileSync(file, 'utf8'), file).toBe(text);
});
