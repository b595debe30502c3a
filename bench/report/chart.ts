import type { Figures } from '../cases/bench-case.ts';
import { heldBars } from './bars.ts';
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

/** A bar for each bar: how far each figure is beyond what it had to reach, on a logarithmic scale. Pure SVG, no script. */
export function ratioChart(results: readonly { readonly title: string; readonly figures: Figures }[]): string {
  const rows = results.flatMap(({ title, figures }) => rowsOf(title, figures));
  const reach = Math.max(2, ...rows.map(({ score }) => Math.abs(Math.log2(score))));
  const zero = LABELS + (WIDTH - LABELS) / 2;
  const scale = (WIDTH - LABELS) / 2 / reach;
  const height = rows.length * ROW + 40;
  const bars = rows.map((row, i) => bar(row, { y: 30 + i * ROW, zero, scale }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${zero}" y="16" text-anchor="middle" fill="#444">on the bar (right: better)</text>`,
    ...bars,
    `<line x1="${zero}" x2="${zero}" y1="22" y2="${height - 10}" stroke="#444"/>`,
    '</svg>\n',
  ].join('\n');
}

function rowsOf(title: string, figures: Figures): Row[] {
  return heldBars(figures).map(({ is, value, at, to }) => ({
    label: to ? `${title} / ${to}` : title,
    score: at === 'least' ? is / value : value / is,
    text: to ? `${number(is)} ×` : `${number(is)} ${figures.unit}`,
  }));
}

function bar({ label, score, text }: Row, { y, zero, scale }: { y: number; zero: number; scale: number }): string {
  const length = Math.log2(score) * scale;
  const [x, width] = length < 0 ? [zero + length, -length] : [zero, length];
  const short = label.length > 66 ? `${label.slice(0, 65)}…` : label;
  return [
    `<text x="8" y="${y + 13}" fill="#222">${escaped(short)}</text>`,
    `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="18" fill="${score >= 1 ? '#2a7' : '#c53'}"/>`,
    `<text x="${zero + 6}" y="${y + 13}" fill="#000">${escaped(text)}</text>`,
  ].join('');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
