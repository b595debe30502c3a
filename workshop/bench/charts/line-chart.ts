import { type Axis, share } from './axis.ts';
import { escaped, label, line, picture, round } from './svg.ts';

/** Undefined where there is nothing to be said: the curve has a gap there. */
export type Point = readonly [x: number, y: number | undefined];

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** What was meant to be is dashed and grey, what should not be is red. */
  readonly look?: 'meant' | 'wrong';
}

export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Four at most: there are no more colours that can be told apart. */
  readonly series: readonly Series[];
  /** A height that is not to be passed. */
  readonly limit?: { readonly at: number; readonly name: string };
}

const SIZE = { width: 900, height: 300 };
const PLOT = { left: 64, right: SIZE.width - 20, top: 46, bottom: SIZE.height - 46 };

/** Curves over one axis, with their names above them. Pure SVG, readable in light and dark. */
export function lineChart(chart: LineChart): string {
  const place = placer(chart);
  return picture(chart.title, SIZE, [
    label({ x: PLOT.left, y: 22, text: chart.title, style: 'title' }),
    ...legend(chart.series),
    ...horizontals(chart, place),
    ...verticals(chart, place),
    ...limit(chart, place),
    ...chart.series.flatMap((series, i) => curve(series, i, place)),
  ]);
}

type Place = (x: number, y: number) => readonly [x: number, y: number];

function placer({ x, y }: LineChart): Place {
  return (atX, atY) => [
    PLOT.left + share(x, atX) * (PLOT.right - PLOT.left),
    PLOT.bottom - share(y, atY) * (PLOT.bottom - PLOT.top),
  ];
}

/** From the right, since the title stands on the left. */
function legend(series: readonly Series[]): string[] {
  const widths = series.map(({ name }) => 42 + name.length * 6.8);
  let x = PLOT.right - widths.reduce((sum, width) => sum + width, 0);
  return series.flatMap((one, i) => {
    const at = x;
    x += widths[i] ?? 0;
    return [
      line({ from: [at, 18], to: [at + 20, 18], style: curveStyle(one, i) }),
      label({ x: at + 26, y: 22, text: one.name }),
    ];
  });
}

function horizontals({ x, y }: LineChart, place: Place): string[] {
  const title = label({ x: PLOT.left, y: PLOT.top - 8, text: y.title, style: 'faint' });
  const ticks = y.ticks.flatMap(({ at, label: text }) => {
    const [, height] = place(x.min, at);
    const grid = line({ from: [PLOT.left, height], to: [PLOT.right, height], style: at === y.min ? 'axis' : 'grid' });
    return [grid, label({ x: PLOT.left - 8, y: height + 4, text, anchor: 'end', style: 'faint' })];
  });
  return [title, ...ticks];
}

function verticals({ x, y }: LineChart, place: Place): string[] {
  const middle = (PLOT.left + PLOT.right) / 2;
  const title = label({ x: middle, y: SIZE.height - 8, text: x.title, anchor: 'middle', style: 'faint' });
  const ticks = x.ticks.flatMap(({ at, label: text }) => {
    const [along] = place(at, y.min);
    const mark = line({ from: [along, PLOT.bottom], to: [along, PLOT.bottom + 5], style: 'axis' });
    return [mark, label({ x: along, y: PLOT.bottom + 18, text, anchor: 'middle', style: 'faint' })];
  });
  return [title, ...ticks];
}

function limit({ limit: top, x, y }: LineChart, place: Place): string[] {
  if (!top || top.at > y.max) return [];
  const [, height] = place(x.min, top.at);
  return [
    line({ from: [PLOT.left, height], to: [PLOT.right, height], style: 'limit' }),
    label({ x: PLOT.left + 6, y: height - 5, text: top.name, style: 'bad' }),
  ];
}

function curve(series: Series, index: number, place: Place): string[] {
  const runs = withoutGaps(series.points).map((run) => run.map(([x, y]) => place(x, y).map(round).join(' ')));
  const style = curveStyle(series, index);
  const path = runs.filter((run) => run.length > 1).map((run) => `M${run.join('L')}`);
  // A curve of one point has no length: a line to itself with round ends is a dot.
  const dots = runs.filter((run) => run.length === 1).map(([only = '']) => `M${only}L${only}`);
  return [
    `<path class="${style}" d="${path.join('')}"><title>${escaped(series.name)}</title></path>`,
    ...(dots.length ? [`<path class="${style} dot" d="${dots.join('')}"/>`] : []),
  ];
}

function withoutGaps(points: readonly Point[]): [number, number][][] {
  const runs: [number, number][][] = [[]];
  for (const [x, y] of points) {
    if (y === undefined) runs.push([]);
    else runs.at(-1)?.push([x, y]);
  }
  return runs.filter((run) => run.length > 0);
}

function curveStyle({ look }: Series, index: number): string {
  return `curve ${look ?? `s${index}`}`;
}
