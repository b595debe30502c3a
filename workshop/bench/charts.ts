import { inLines, markdownTable, number } from '../tables.ts';
import { figureOf, type Result } from './measure.ts';
import { type Conditions, heldBars, inWords } from './report.ts';
import { curveCallers, curveId, curveKinds, DURABLE, LIMIT, MEMORY } from './rows/send.ts';

/**
 * A picture without scripts and fetched resources, light or dark as the reader's screen. Classes: `faint`, `axis`,
 * `good`, `bad`, and `a` to `d` for the lines of a chart.
 */
function svg(title: string, [width, height]: readonly [number, number], content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}">`,
    `<style>${theme}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...content,
    '</svg>\n',
  ].join('\n');
}

type Attributes = Readonly<Record<string, string | number>>;

function shape(name: 'rect' | 'line' | 'polyline' | 'circle' | 'text', attributes: Attributes, words = ''): string {
  const given = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? Number(value.toFixed(1)) : escaped(value)}"`,
  );
  return `<${name}${given.join('')}${words ? `>${escaped(words)}</${name}>` : '/>'}`;
}

const text = (words: string, attributes: Attributes): string => shape('text', attributes, words);

const escaped = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const theme = `
.chart{--paper:#fff;--ink:#1f2328;--faint:#59636e;--good:#1a7f50;--bad:#c2442d;--a:#1a7f50;--b:#8250df;--c:#c2442d;--d:#59636e;
font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.chart{--paper:#0d1117;--ink:#e6edf3;--faint:#9aa4af;--good:#3fb37f;--bad:#f0725a;
--a:#3fb37f;--b:#b692f6;--c:#f0725a;--d:#9aa4af}}
.chart text{fill:var(--ink)}.chart .paper{fill:var(--paper)}.chart .faint{fill:var(--faint)}
.chart .axis{stroke:var(--faint);stroke-opacity:.5}.chart rect.good,.chart rect.bad{fill-opacity:.6}
.chart .good{fill:var(--good)}.chart .bad{fill:var(--bad)}
.chart polyline{fill:none;stroke-width:2}.chart .d{stroke-dasharray:4 3}
.chart polyline.a{stroke:var(--a);stroke-width:3}.chart polyline.b{stroke:var(--b)}
.chart polyline.c{stroke:var(--c)}.chart polyline.d{stroke:var(--d)}
.chart circle.a{fill:var(--a)}.chart circle.b{fill:var(--b)}.chart circle.c{fill:var(--c)}.chart circle.d{fill:var(--d)}`;

const WIDTH = 900;
const LABELS = 420;
const ROW = 26;
const ZERO = LABELS + (WIDTH - LABELS) / 2;

/** A bar for each measured figure: how far it is beyond its limit, on a logarithmic scale. */
export function ratioChart(results: readonly Result[]): string {
  const bars = results.flatMap(({ title, figures }) =>
    heldBars(figures).map(({ is, value, at, to }) => ({
      label: to ? `${title} / ${to}` : title,
      // How much better than the limit, in doublings: 0 is the limit.
      score: Math.log2(at === 'least' ? is / value : value / is),
      words: to ? `${number(is)} ×` : `${number(is)} ${figures.unit}`,
    })),
  );
  const scale = (WIDTH - LABELS) / 2 / Math.max(2, ...bars.map(({ score }) => Math.abs(score)));
  const height = bars.length * ROW + 40;
  const drawn = bars.flatMap(({ label, score, words }, i) => {
    const y = 30 + i * ROW;
    const [x, width] = [ZERO + Math.min(0, score * scale), Math.max(1, Math.abs(score * scale))];
    return [
      text(label.length > 66 ? `${label.slice(0, 65)}…` : label, { x: 8, y: y + 13 }),
      shape('rect', { x, y, width, height: 18, class: score >= 0 ? 'good' : 'bad' }),
      text(words, { x: ZERO + 6, y: y + 13 }),
    ];
  });
  const title = text('on the bar (right: better)', { x: ZERO, y: 16, 'text-anchor': 'middle', class: 'faint' });
  const axis = shape('line', { x1: ZERO, y1: 22, x2: ZERO, y2: height - 10, class: 'axis' });
  return svg('Figures beside the bars that they have to reach', [WIDTH, height], [title, ...drawn, axis]);
}

/** The measurements in bench/results/curve.json. */
export interface Curve {
  readonly date: string;
  readonly conditions: Conditions;
  readonly results: readonly Result[];
}

interface Point {
  readonly kind: string;
  readonly callers: number;
  readonly result: Result;
}

function pointsOf({ results }: Curve): Point[] {
  return curveKinds.flatMap((kind) =>
    curveCallers.flatMap((callers) => {
      const result = results.find(({ id }) => id === curveId(kind, callers));
      return result ? [{ kind, callers, result }] : [];
    }),
  );
}

const ratioTo = ({ figures }: Result, other: string): number => figures.ratios[other] ?? Number.NaN;

/** All points, for docs/performance.md. */
export function curveTable(curve: Curve): string {
  const points = pointsOf(curve);
  const missed = points.filter(({ result }) => ratioTo(result, DURABLE) < 1);
  const where = missed.map(({ kind, callers }) => `${callers} ${kind}`).join(', ');
  const ahead = `${points.length - missed.length} of ${points.length} points${where && `; behind at ${where}`}`;
  return [
    inLines(
      `Measured on ${curve.date} (${inWords(curve.conditions)}). Medians. Ahead of the SDK with its tasks in Redis at ${ahead}.`,
    ),
    '',
    markdownTable(
      [
        'callers',
        'ours, tasks/s',
        'beside the SDK in memory',
        'beside the SDK, tasks in Redis',
        'beside one bare script',
      ],
      points.map(({ kind, callers, result }) => [
        `${callers}, ${kind}`,
        figureOf(result.figures, result.figures.ours),
        ...[MEMORY, DURABLE, LIMIT].map((other) => `${number(ratioTo(result, other))} ×`),
      ]),
    ),
  ].join('\n');
}

/** For the README, with callers from left to right. */
export function shortCurveTable(curve: Curve): string {
  const points = pointsOf(curve);
  const line = (kind: string, what: string, read: (result: Result) => string): string[] => [
    `${kind}: ${what}`,
    ...points.filter((point) => point.kind === kind).map(({ result }) => read(result)),
  ];
  return markdownTable(
    ['callers', ...curveCallers.map(String)],
    curveKinds.flatMap((kind) => [
      line(kind, 'tasks/s', ({ figures }) => number(figureOf(figures, figures.ours))),
      line(kind, 'beside the SDK, tasks in Redis', (result) => `${number(ratioTo(result, DURABLE))} ×`),
      line(kind, 'beside the SDK, in memory', (result) => `${number(ratioTo(result, MEMORY))} ×`),
    ]),
  );
}

const PANEL = { width: 440, height: 300, left: 60, right: 20, top: 50, bottom: 60 } as const;
const classes = ['a', 'b', 'c', 'd'];

/** Tasks per second over callers, both on logarithmic scales: a panel for each kind of call. */
export function curveChart(curve: Curve): string {
  const points = pointsOf(curve);
  const all = points.flatMap(({ result: { figures } }) =>
    Object.keys(figures.values).map((name) => figureOf(figures, name)),
  );
  const reach: Reach = [2 ** Math.floor(Math.log2(Math.min(...all))), 2 ** Math.ceil(Math.log2(Math.max(...all)))];
  const names = Object.keys(points[0]?.result.figures.values ?? {});
  const panels = curveKinds.flatMap((kind, i) =>
    panel(kind, i * PANEL.width, { points: points.filter((point) => point.kind === kind), names, reach }),
  );
  const legend = names.flatMap((name, i) => {
    const x = PANEL.left + i * 200;
    const y = PANEL.height - 12;
    return [shape('circle', { cx: x, cy: y - 4, r: 4, class: classes[i] ?? '' }), text(name, { x: x + 10, y })];
  });
  return svg('Tasks per second over callers', [2 * PANEL.width, PANEL.height], [...panels, ...legend]);
}

type Reach = readonly [from: number, to: number];
type Panel = { readonly points: readonly Point[]; readonly names: readonly string[]; readonly reach: Reach };

function panel(kind: string, offset: number, { points, names, reach: [from, to] }: Panel): string[] {
  const { width, height, left, right, top, bottom } = PANEL;
  const [first, last] = [offset + left, offset + width - right];
  const x = (callers: number): number =>
    first + (Math.log2(callers) / Math.log2(curveCallers.at(-1) ?? 2)) * (last - first);
  const y = (rate: number): number =>
    height - bottom - (Math.log2(rate / from) / Math.log2(to / from)) * (height - top - bottom);
  const ticks = Array.from({ length: Math.log2(to / from) + 1 }, (_, i) => from * 2 ** i);
  return [
    text(`SendMessage ${kind}, tasks/s`, { x: first, y: 24 }),
    ...ticks.flatMap((rate) => [
      shape('line', { x1: first, y1: y(rate), x2: last, y2: y(rate), class: 'axis' }),
      text(number(rate), { x: first - 8, y: y(rate) + 4, 'text-anchor': 'end', class: 'faint' }),
    ]),
    ...curveCallers.map((callers) =>
      text(String(callers), { x: x(callers), y: height - bottom + 18, 'text-anchor': 'middle', class: 'faint' }),
    ),
    ...names.flatMap((name, i) => {
      const line = points.map(({ callers, result: { figures } }) => [x(callers), y(figureOf(figures, name))] as const);
      const style = classes[i] ?? '';
      return [
        shape('polyline', {
          points: line.map((at) => at.map((one) => one.toFixed(1)).join(',')).join(' '),
          class: style,
        }),
        ...line.map(([cx, cy]) => shape('circle', { cx, cy, r: 3, class: style })),
      ];
    }),
  ];
}
