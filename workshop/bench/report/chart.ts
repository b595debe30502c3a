import { number } from '../../tables/markdown.ts';
import type { Figures } from '../cases/bench-case.ts';
import { heldBars, type Result } from './table.ts';

const WIDTH = 900;
const LABELS = 420;
const ROW = 26;
const ZERO = LABELS + (WIDTH - LABELS) / 2;
const TITLE = 'Figures beside the bars that they have to reach';

interface Row {
  readonly label: string;
  /** How much better than the bar: 1 is on it. */
  readonly score: number;
  readonly text: string;
}

/**
 * A bar for each bar: how far each figure is beyond what it had to reach, on a logarithmic scale. An SVG that stands
 * for itself: no script, nothing fetched, light and dark as the reader's screen is.
 */
export function ratioChart(results: readonly Result[]): string {
  const rows = results.flatMap(({ title, figures }) => rowsOf(title, figures));
  const reach = Math.max(2, ...rows.map(({ score }) => Math.abs(Math.log2(score))));
  const height = rows.length * ROW + 40;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-label="${TITLE}" viewBox="0 0 ${WIDTH} ${height}">`,
    `<style>${theme}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}"/>`,
    `<text x="${ZERO}" y="16" text-anchor="middle" class="faint">on the bar (right: better)</text>`,
    ...rows.flatMap((row, i) => bar(row, 30 + i * ROW, (WIDTH - LABELS) / 2 / reach)),
    `<line x1="${ZERO}" y1="22" x2="${ZERO}" y2="${height - 10}" class="axis"/>`,
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

/** @param scale units of the picture for each doubling */
function bar({ label, score, text }: Row, y: number, scale: number): string[] {
  const length = Math.log2(score) * scale;
  const x = (ZERO + Math.min(0, length)).toFixed(1);
  const width = Math.max(1, Math.abs(length)).toFixed(1);
  return [
    `<text x="8" y="${y + 13}">${escaped(label.length > 66 ? `${label.slice(0, 65)}…` : label)}</text>`,
    `<rect x="${x}" y="${y}" width="${width}" height="18" class="${score >= 1 ? 'good' : 'bad'}"/>`,
    `<text x="${ZERO + 6}" y="${y + 13}">${escaped(text)}</text>`,
  ];
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const theme = `
.chart{--paper:#fff;--ink:#1f2328;--faint:#59636e;--good:#1a7f50;--bad:#c2442d;
font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.chart{--paper:#0d1117;--ink:#e6edf3;--faint:#9aa4af;--good:#3fb37f;--bad:#f0725a}}
.chart text{fill:var(--ink)}.chart .paper{fill:var(--paper)}.chart .faint{fill:var(--faint)}.chart .axis{stroke:var(--faint)}
.chart rect.good,.chart rect.bad{fill-opacity:.6}.chart .good{fill:var(--good)}.chart .bad{fill:var(--bad)}`;
