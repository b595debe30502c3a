import type { Figures } from '../cases/bench-case.ts';
import { heldBars } from './bars.ts';
import { label, line, picture, round } from './svg.ts';
import { number } from './table.ts';

const WIDTH = 900;
const LABELS = 420;
const ROW = 26;

interface Row {
  readonly label: string;
  /** How much better than the bar: 1 is on it. */
  readonly score: number;
  readonly text: string;
}

/**
 * A bar for each bar: how far each figure is beyond what it had to reach, on a logarithmic scale. Pure SVG, no script.
 */
export function ratioChart(results: readonly { readonly title: string; readonly figures: Figures }[]): string {
  const rows = results.flatMap(({ title, figures }) => rowsOf(title, figures));
  const reach = Math.max(2, ...rows.map(({ score }) => Math.abs(Math.log2(score))));
  const zero = LABELS + (WIDTH - LABELS) / 2;
  const scale = (WIDTH - LABELS) / 2 / reach;
  const height = rows.length * ROW + 40;
  const bars = rows.flatMap((row, i) => bar(row, { y: 30 + i * ROW, zero, scale }));
  return picture('Figures beside the bars that they have to reach', { width: WIDTH, height }, [
    label({ x: zero, y: 16, text: 'on the bar (right: better)', anchor: 'middle', style: 'faint' }),
    ...bars,
    line({ from: [zero, 22], to: [zero, height - 10], style: 'axis' }),
  ]);
}

function rowsOf(title: string, figures: Figures): Row[] {
  return heldBars(figures).map(({ is, value, at, to }) => ({
    label: to ? `${title} / ${to}` : title,
    score: at === 'least' ? is / value : value / is,
    text: to ? `${number(is)} ×` : `${number(is)} ${figures.unit}`,
  }));
}

function bar(
  { label: text, score, text: figure }: Row,
  { y, zero, scale }: Record<'y' | 'zero' | 'scale', number>,
): string[] {
  const length = Math.log2(score) * scale;
  const [x, width] = length < 0 ? [zero + length, -length] : [zero, length];
  return [
    label({ x: 8, y: y + 13, text: text.length > 66 ? `${text.slice(0, 65)}…` : text }),
    `<rect x="${round(x)}" y="${y}" width="${round(Math.max(1, width))}" height="18" class="${score >= 1 ? 'good' : 'bad'}"/>`,
    label({ x: zero + 6, y: y + 13, text: figure }),
  ];
}
