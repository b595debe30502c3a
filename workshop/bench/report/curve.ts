import { markdownTable, number } from '../../tables.ts';
import { figureOf, type Result } from '../measure/measure-row.ts';
import { curveCallers, curveId, curveKinds, DURABLE, LIMIT, MEMORY } from '../rows/send.ts';
import { type Conditions, inWords } from './results.ts';
import { shape, svg, text } from './svg.ts';

/** What was measured: bench/results/curve.json. */
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

/** For docs/performance.md: every point. */
export function curveTable(curve: Curve): string {
  const points = pointsOf(curve);
  const missed = points.filter(({ result }) => ratioTo(result, DURABLE) < 1);
  const where = missed.map(({ kind, callers }) => `${callers} ${kind}`).join(', ');
  return [
    `Measured on ${curve.date} (${inWords(curve.conditions)}).`,
    `Medians. Ahead of the SDK with its tasks in Redis at ${points.length - missed.length} of ${points.length} points${where && `; behind at ${where}`}.`,
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

/** For the README: callers from left to right. */
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

interface Panel {
  readonly points: readonly Point[];
  readonly names: readonly string[];
  readonly reach: Reach;
}

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
