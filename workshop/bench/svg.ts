import { number } from '../tables.ts';

/**
 * A picture without scripts and fetched resources, light or dark as the reader's screen. Classes: `faint`, `axis`,
 * `good`, `bad`, and `a` to `d` for the lines of a chart.
 */
export function svg(title: string, [width, height]: readonly [number, number], content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}">`,
    `<style>${theme}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...content,
    '</svg>\n',
  ].join('\n');
}

type Attributes = Readonly<Record<string, string | number>>;

export function shape(
  name: 'rect' | 'line' | 'polyline' | 'circle' | 'text',
  attributes: Attributes,
  words = '',
): string {
  const given = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? Number(value.toFixed(1)) : escaped(value)}"`,
  );
  return `<${name}${given.join('')}${words ? `>${escaped(words)}</${name}>` : '/>'}`;
}

export const text = (words: string, attributes: Attributes): string => shape('text', attributes, words);

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

const PANEL = { width: 440, height: 320, left: 60, right: 20, top: 50, bottom: 80 } as const;
const CLASSES = ['a', 'b', 'c', 'd'];

/** Lines over the same steps, with logarithmic scales. */
export interface Panel {
  readonly title: string;
  /** What the steps count: `callers`. */
  readonly over: string;
  /** Powers of two, from the least. */
  readonly steps: readonly number[];
  /** By name: a value for each step. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

type Reach = readonly [from: number, to: number];

/** Panels side by side, all with the same scale and the same names of lines. */
export function lineChart(title: string, panels: readonly Panel[]): string {
  const all = panels.flatMap(({ lines }) => Object.values(lines).flat());
  const reach: Reach = [2 ** Math.floor(Math.log2(Math.min(...all))), 2 ** Math.ceil(Math.log2(Math.max(...all)))];
  const legend = Object.keys(panels[0]?.lines ?? {}).flatMap((name, i) => {
    const [x, y] = [PANEL.left + i * 200, PANEL.height - 12];
    return [shape('circle', { cx: x, cy: y - 4, r: 4, class: CLASSES[i] ?? '' }), text(name, { x: x + 10, y })];
  });
  const drawn = panels.flatMap((panel, i) => drawPanel(panel, i * PANEL.width, reach));
  return svg(title, [panels.length * PANEL.width, PANEL.height], [...drawn, ...legend]);
}

function drawPanel({ title, over, steps, lines }: Panel, offset: number, [from, to]: Reach): string[] {
  const { width, height, left, right, top, bottom } = PANEL;
  const [first, last] = [offset + left, offset + width - right];
  const [least = 1, most = 2] = [steps[0], steps.at(-1)];
  const x = (step: number): number => first + (Math.log2(step / least) / Math.log2(most / least)) * (last - first);
  const y = (value: number): number =>
    height - bottom - (Math.log2(value / from) / Math.log2(to / from)) * (height - top - bottom);
  const ticks = Array.from({ length: Math.log2(to / from) + 1 }, (_, i) => from * 2 ** i);
  const under = { 'text-anchor': 'middle', class: 'faint' };
  return [
    text(title, { x: first, y: 24 }),
    ...ticks.flatMap((value) => [
      shape('line', { x1: first, y1: y(value), x2: last, y2: y(value), class: 'axis' }),
      text(number(value), { x: first - 8, y: y(value) + 4, 'text-anchor': 'end', class: 'faint' }),
    ]),
    ...steps.map((step) => text(String(step), { x: x(step), y: height - bottom + 18, ...under })),
    text(over, { x: (first + last) / 2, y: height - bottom + 36, ...under }),
    ...Object.values(lines).flatMap((line, i) => {
      const points = line.map((value, at) => [x(steps[at] ?? least), y(value)] as const);
      const joined = points.map((at) => at.map((one) => one.toFixed(1)).join(',')).join(' ');
      const style = { class: CLASSES[i] ?? '' };
      return [
        shape('polyline', { points: joined, ...style }),
        ...points.map(([cx, cy]) => shape('circle', { cx, cy, r: 3, ...style })),
      ];
    }),
  ];
}
