import type { Bar, Figures } from '../cases/bench-case.ts';
import { median } from '../measure/statistics.ts';

export interface HeldBar extends Bar {
  /** The ratio to the one the bar names, or the figure itself. */
  readonly is: number;
  readonly isHeld: boolean;
}

export function heldBars({ bars, ours, values, ratios }: Figures): HeldBar[] {
  return bars.map((bar) => {
    const is = bar.to === undefined ? median(values[ours] ?? []) : (ratios[bar.to] ?? Number.NaN);
    return { ...bar, is, isHeld: bar.at === 'least' ? is >= bar.value : is <= bar.value };
  });
}
