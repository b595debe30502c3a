import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chartFiles } from '../chart/chart-files.ts';

it('the chart has the settings, alerts, dashboard and values of this tree, as npm run docs writes them', () => {
  const files = Object.entries(chartFiles());
  expect(files).toHaveLength(4);
  for (const [file, text] of files) expect(readFileSync(file, 'utf8'), file).toBe(text);
});
