import { mkdir, writeFile } from 'node:fs/promises';
import type { Figures } from '../cases/bench-case.ts';
import { ratioChart } from './chart.ts';
import { tableHead, tableRow } from './table.ts';

export interface Result {
  readonly id: string;
  readonly title: string;
  readonly figures: Figures;
}

/** bench/results/<date>.json with every round, and beside it the table and the picture that the documents show. */
export async function writeResults(conditions: object, results: readonly Result[]): Promise<void> {
  const folder = new URL('../results/', import.meta.url);
  await mkdir(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(new URL(`${date}.json`, folder), `${JSON.stringify({ date, conditions, results }, null, 1)}\n`);
  const rows = results.map(({ title, figures }) => tableRow(title, figures));
  await writeFile(new URL('latest.md', folder), `${[tableHead, ...rows].join('\n')}\n`);
  await writeFile(new URL('latest.svg', folder), ratioChart(results));
}
