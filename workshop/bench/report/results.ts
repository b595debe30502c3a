import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { markdownTable } from '../../tables/markdown.ts';
import type { Result } from '../measure/measure-row.ts';
import { ratioChart } from './chart.ts';
import { tableHead, tableRow } from './table.ts';

export type Conditions = Readonly<Record<string, string | number>>;

/** Of this machine, now. */
export const conditions = (rounds: number): Conditions => ({
  processors: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  rounds,
  loadAtStart: loadavg()[0]?.toFixed(2) ?? '',
});

export const today = (): string => new Date().toISOString().slice(0, 10);

/** Into bench/results. */
export async function writeResult(name: string, content: string | object): Promise<void> {
  const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 1);
  await writeFile(new URL(`../results/${name}`, import.meta.url), text.endsWith('\n') ? text : `${text}\n`);
}

/** Every round, and beside it the table and the picture that the documents show. */
export async function writeResults(conditions: Conditions, results: readonly Result[]): Promise<void> {
  const date = today();
  await writeResult(`${date}.json`, { date, conditions, results });
  await writeResult('latest.md', markdownTable(tableHead, results.map(tableRow)));
  await writeResult('latest.svg', ratioChart(results));
}
