import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { number } from '../tables.ts';
import { type Figures, figureOf, type Result } from './measure.ts';

/** The conditions of a measurement. */
export type Conditions = Readonly<Record<string, string | number>>;

/** Those of this machine and this tree. @param more other conditions, such as the number of rounds */
export const conditions = (more: Conditions = {}): Conditions => ({
  commit: commit(),
  processors: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  ...more,
  loadAtStart: loadavg()[0]?.toFixed(2) ?? '',
});

/** As text: `processors 2, node v24.21.0`. */
export const inWords = (conditions: Conditions): string =>
  Object.entries(conditions)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** The commit of this checkout, or of the one in another folder. */
export function commit(cwd = '.'): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, encoding: 'utf8' });
  return stdout?.trim() || 'unknown';
}

export const today = (): string => new Date().toISOString().slice(0, 10);

/** Writes into bench/results. */
export async function writeResult(name: string, content: string | object): Promise<void> {
  const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 1);
  await writeFile(new URL(`results/${name}`, import.meta.url), text.endsWith('\n') ? text : `${text}\n`);
}

/** The limits of a row, with the ratio or figure that each concerns. */
export function heldBars(figures: Figures) {
  return figures.bars.map((bar) => {
    const is = bar.to === undefined ? figureOf(figures, figures.ours) : (figures.ratios[bar.to] ?? Number.NaN);
    return { ...bar, is, isHeld: bar.at === 'least' ? is >= bar.value : is <= bar.value };
  });
}

/** One row of the table: title, medians, ratios, limits. */
export function tableRow({ title, figures }: Result): string[] {
  const { values, ratios, unit, notes = {} } = figures;
  const medians = Object.keys(values).map((name) => `${name} ${number(figureOf(figures, name))} ${unit}`);
  const shares = Object.entries(ratios).map(([name, ratio]) => `${number(ratio)} × ${name}`);
  const bars = heldBars(figures).map(
    ({ at, value, to, isHeld }) =>
      `${isHeld ? 'held' : 'MISSED'}: ${at === 'least' ? '≥' : '≤'} ${number(value)}${to ? ` × ${to}` : ` ${unit}`}`,
  );
  const seen = Object.entries(notes).map(([name, value]) => `${name} ${number(value)}`);
  return [title, medians.join('<br>'), shares.join('<br>'), bars.join('<br>'), seen.join(', ')];
}

export const tableHead = ['work', 'medians', 'ratio, median of the rounds', 'bar', 'seen'];
