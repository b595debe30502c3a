import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { markdownTable } from '../../tables.ts';
import type { Result } from '../measure/measure-row.ts';
import { ratioChart } from './chart.ts';
import { tableHead, tableRow } from './table.ts';

/** Under which something was measured. */
export type Conditions = Readonly<Record<string, string | number>>;

/** Of this machine and this tree, now. @param more what else matters, such as the number of rounds */
export const conditions = (more: Conditions = {}): Conditions => ({
  commit: commit(),
  processors: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  ...more,
  loadAtStart: loadavg()[0]?.toFixed(2) ?? '',
});

/** As people read them: `processors 2, node v24.21.0`. */
export const inWords = (conditions: Conditions): string =>
  Object.entries(conditions)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Of the checkout in this folder, or in another one. */
export function commit(cwd = '.'): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, encoding: 'utf8' });
  return stdout?.trim() || 'unknown';
}

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
