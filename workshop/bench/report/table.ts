import type { Figures } from '../cases/bench-case.ts';
import { median } from '../measure/statistics.ts';
import { heldBars } from './bars.ts';

/** One row of the table as Markdown: what, the medians, the ratios, the bars. */
export function tableRow(title: string, figures: Figures): string {
  const { values, ratios, unit, notes = {} } = figures;
  const medians = Object.entries(values).map(([name, all]) => `${name} ${number(median(all))} ${unit}`);
  const shares = Object.entries(ratios).map(([name, ratio]) => `${number(ratio)} × ${name}`);
  const bars = heldBars(figures).map(
    ({ at, value, to, isHeld }) =>
      `${isHeld ? 'held' : 'MISSED'}: ${at === 'least' ? '≥' : '≤'} ${number(value)}${to ? ` × ${to}` : ` ${unit}`}`,
  );
  const seen = Object.entries(notes).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? number(value) : value}`,
  );
  return `| ${[title, medians.join('<br>'), shares.join('<br>'), bars.join('<br>'), seen.join(', ')].join(' | ')} |`;
}

export const tableHead = '| work | medians | ratio, median of the rounds | bar | seen |\n|---|---|---|---|---|';

/** Three digits that matter. */
export function number(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}
