import { number } from '../../tables.ts';
import { type Figures, figureOf, type Result } from '../measure/measure-row.ts';
import type { Bar } from '../measure/row.ts';

interface HeldBar extends Bar {
  /** The ratio to the one the bar names, or the figure itself. */
  readonly is: number;
  readonly isHeld: boolean;
}

export function heldBars(figures: Figures): HeldBar[] {
  return figures.bars.map((bar) => {
    const is = bar.to === undefined ? figureOf(figures, figures.ours) : (figures.ratios[bar.to] ?? Number.NaN);
    return { ...bar, is, isHeld: bar.at === 'least' ? is >= bar.value : is <= bar.value };
  });
}

/** One row of the table: what, the medians, the ratios, the bars. */
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
