import { number } from '../../tables.ts';
import type { Figures, Result } from '../measure/measure-row.ts';
import { shape, svg, text } from './svg.ts';
import { heldBars } from './table.ts';

const WIDTH = 900;
const LABELS = 420;
const ROW = 26;
const ZERO = LABELS + (WIDTH - LABELS) / 2;

interface Bar {
  readonly label: string;
  /** How much better than what had to be reached: 1 is on it. */
  readonly score: number;
  readonly words: string;
}

/** A bar for each bar: how far each figure is beyond what it had to reach, on a logarithmic scale. */
export function ratioChart(results: readonly Result[]): string {
  const bars = results.flatMap(({ title, figures }) => barsOf(title, figures));
  const reach = Math.max(2, ...bars.map(({ score }) => Math.abs(Math.log2(score))));
  const height = bars.length * ROW + 40;
  return svg(
    'Figures beside the bars that they have to reach',
    [WIDTH, height],
    [
      text('on the bar (right: better)', { x: ZERO, y: 16, 'text-anchor': 'middle', class: 'faint' }),
      ...bars.flatMap((bar, i) => drawn(bar, 30 + i * ROW, (WIDTH - LABELS) / 2 / reach)),
      shape('line', { x1: ZERO, y1: 22, x2: ZERO, y2: height - 10, class: 'axis' }),
    ],
  );
}

function barsOf(title: string, figures: Figures): Bar[] {
  return heldBars(figures).map(({ is, value, at, to }) => ({
    label: to ? `${title} / ${to}` : title,
    score: at === 'least' ? is / value : value / is,
    words: to ? `${number(is)} ×` : `${number(is)} ${figures.unit}`,
  }));
}

/** @param scale units of the picture for each doubling */
function drawn({ label, score, words }: Bar, y: number, scale: number): string[] {
  const length = Math.log2(score) * scale;
  const [x, width] = [ZERO + Math.min(0, length), Math.max(1, Math.abs(length))];
  return [
    text(label.length > 66 ? `${label.slice(0, 65)}…` : label, { x: 8, y: y + 13 }),
    shape('rect', { x, y, width, height: 18, class: score >= 1 ? 'good' : 'bad' }),
    text(words, { x: ZERO + 6, y: y + 13 }),
  ];
}
