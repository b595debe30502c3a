import { inLines, markdownTable, number } from '../tables.ts';
import { figureOf, type Result } from './measure.ts';
import { type Conditions, heldBars, inWords } from './report.ts';
import { curveCallers, curveId, curveKinds, DURABLE, LIMIT, MEMORY } from './rows/send.ts';
import { lineChart, type Panel, shape, svg, text } from './svg.ts';

const BARS = 480;
const ROW = 26;
/** Pixels of a letter, as wide as the widest fonts that readers have. */
const LETTER = 6.4;

/**
 * A bar for each measured figure: how far it is from its limit, on a logarithmic scale. To the right of the line is
 * better than the limit; each mark of the scale is twice as far.
 */
export function ratioChart(results: readonly Result[]): string {
  const bars = results.flatMap(({ title, figures }) =>
    heldBars(figures).map(({ is, value, at, to }) => ({
      label: to ? `${title} / ${to}` : title,
      // How much better than the limit, in doublings: 0 is the limit.
      score: Math.log2(at === 'least' ? is / value : value / is),
      words: to ? `${number(is)} ×` : `${number(is)} ${figures.unit}`,
    })),
  );
  const labels = Math.max(200, ...bars.map(({ label }) => label.length * LETTER)) + 16;
  const scores = bars.map(({ score }) => score);
  const [worst, best] = [Math.min(-1, Math.floor(Math.min(...scores))), Math.max(1, Math.ceil(Math.max(...scores)))];
  const scale = BARS / (best - worst);
  const zero = labels - worst * scale;
  const height = bars.length * ROW + 66;
  const marks = Array.from({ length: best - worst + 1 }, (_, i) => i + worst);
  const drawn = bars.flatMap(({ label, score, words }, i) => {
    const y = 54 + i * ROW;
    const [x, width] = [zero + Math.min(0, score * scale), Math.max(1, Math.abs(score * scale))];
    return [
      text(label, { x: 8, y: y + 13 }),
      shape('rect', { x, y, width, height: 18, class: score >= 0 ? 'good' : 'bad' }),
      text(words, { x: zero + 6, y: y + 13 }),
    ];
  });
  const faint = { 'text-anchor': 'middle', class: 'faint' };
  const axes = marks.flatMap((mark) => [
    text(markText(mark), { x: zero + mark * scale, y: 42, ...faint }),
    shape('line', { x1: zero + mark * scale, y1: 48, x2: zero + mark * scale, y2: height - 6, class: 'axis' }),
  ]);
  const title = text('times better (right) or worse (left) than the limit of the row', {
    x: labels + BARS / 2,
    y: 20,
    ...faint,
  });
  return svg('Figures beside their limits', [labels + BARS + 16, height], [title, ...axes, ...drawn]);
}

const markText = (doublings: number): string => (doublings === 0 ? 'limit' : `${2 ** Math.abs(doublings)} ×`);

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

/** Tasks per second over callers, both on logarithmic scales: a panel for each kind of call. */
export function curveChart(curve: Curve): string {
  const points = pointsOf(curve);
  const names = Object.keys(points[0]?.result.figures.values ?? {});
  const panelOf = (kind: string): Panel => {
    const own = points.filter((point) => point.kind === kind);
    const lines = names.map((name) => [name, own.map(({ result: { figures } }) => figureOf(figures, name))] as const);
    const title = `SendMessage ${kind}, tasks/s`;
    return { title, over: 'callers', steps: own.map(({ callers }) => callers), lines: Object.fromEntries(lines) };
  };
  return lineChart('Tasks per second over callers', curveKinds.map(panelOf));
}

/** One measurement of `npm run workshop replicas`. */
export interface ReplicaRow {
  readonly kind: string;
  readonly masters: number;
  readonly gateways: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** By process: share of a core. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Tasks per second over gateways: a panel for each kind of call, a line for each number of masters. */
export function replicasChart(rows: readonly ReplicaRow[]): string {
  const mastersSeen = [...new Set(rows.map(({ masters }) => masters))];
  const panelOf = (kind: string): Panel => {
    const own = rows.filter((row) => row.kind === kind);
    const lines = mastersSeen.map((masters) => {
      const line = own.filter((row) => row.masters === masters).map(({ perSecond }) => perSecond);
      return [masters === 1 ? 'one Redis' : `Cluster of ${masters} masters`, line] as const;
    });
    const steps = own.filter(({ masters }) => masters === 1).map(({ gateways }) => gateways);
    return { title: `SendMessage ${kind}, tasks/s`, over: 'gateways', steps, lines: Object.fromEntries(lines) };
  };
  return lineChart('Tasks per second over gateways', [...new Set(rows.map(({ kind }) => kind))].map(panelOf));
}
