import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Figures } from '../figures.ts';
import { withTables } from '../figures.ts';

const figures: Figures = JSON.parse(await readFile('workshop/bench/results/capacity.json', 'utf8'));
const page = await readFile('docs/scaling.md', 'utf8');

it('the measured tables of docs/scaling.md are equal to capacity.json', () => {
  expect(withTables(page, figures)).toBe(page);
});

it('other figures change the page', () => {
  const { accept } = figures.operations;
  const operations = { ...figures.operations, accept: { ...accept, gateway: accept.gateway * 2 } };
  expect(withTables(page, { ...figures, operations })).not.toBe(page);
});

it('a page without a section for the tables is refused', () => {
  expect(() => withTables('# Scaling', figures)).toThrow('no place for measured');
});
