import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withSection } from '../../tables.ts';
import { type Curve, curveTable, shortCurveTable } from '../charts.ts';

const curve: Curve = JSON.parse(await readFile('workshop/bench/results/curve.json', 'utf8'));

it.each([
  ['docs/performance.md', curveTable(curve)],
  ['README.md', shortCurveTable(curve)],
])('the curve in %s is equal to curve.json', async (file, table) => {
  const page = await readFile(file, 'utf8');
  expect(withSection(page, 'curve', table)).toBe(page);
  expect(withSection(page, 'curve', `${table}, measured anew`)).not.toBe(page);
});

it('the saved curve has ten points', () => {
  expect(curve.results).toHaveLength(10);
});
