import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { asWritten, type CapacityFile, readCapacityFile } from '../figures/file.ts';
import { defaultLoad } from '../plan/load.ts';
import { withTables } from '../report/document.ts';
import { outcomeOf } from '../simulation/outcome.ts';
import { peak, scenariosFor } from '../simulation/scenarios.ts';
import { simulate } from '../simulation/simulate.ts';

// docs/scaling.md says what bench/results/capacity.json says. `npm run capacity -- measure` writes both.

let file: CapacityFile;
let page: string;

beforeAll(async () => {
  file = await readCapacityFile();
  page = await readFile('docs/scaling.md', 'utf8');
});

it('the tables of the page are those of the figures', () => {
  expect(withTables(page, file)).toBe(page);
});

it('other figures would make another page', () => {
  const { accept } = file.figures.operations;
  const operations = { ...file.figures.operations, accept: { ...accept, gateway: accept.gateway * 2 } };
  expect(withTables(page, { ...file, figures: { ...file.figures, operations } })).not.toBe(page);
});

it('a page without a place for them is refused', () => {
  expect(() => withTables('# Scaling', file)).toThrow('no place for the tables that are measured');
});

it('the simulations are those of the figures', { timeout: 60_000 }, () => {
  const { unprepared } = scenariosFor(file.figures, { ...defaultLoad, tasksPerSecond: file.peak }, 1);
  expect(asWritten(outcomeOf(simulate(unprepared), peak.from))).toEqual(file.simulations.unprepared);
});
