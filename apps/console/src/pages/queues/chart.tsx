import { type ReadonlySignal, type Signal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** Times in ms, then the values of each line. */
export type ChartData = readonly [number[], ...(number | null)[][]];

interface ChartProps {
  readonly data: ReadonlySignal<ChartData>;
  /** Read aloud. */
  readonly label: string;
  readonly format: (value: number) => string;
  /** The point under the pointer, in all charts of a page; null: none. */
  readonly hovered: Signal<number | null>;
}

const height = 112;
const group = 'queues';

/** Lines over time. The first has the colour of the text, the second a softer one. */
export function Chart({ data, label, format, hovered }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  useEffect(() => {
    const root = element.current;
    if (!root) return;
    const lines = data.peek().length - 1;
    const plot = new uPlot(optionsOf(root, { lines, format, hovered }), aligned(data.peek()), root);
    chart.current = plot;
    const size = new ResizeObserver(() => plot.setSize({ width: root.clientWidth, height }));
    size.observe(root);
    const stop = onTheme(() => plot.redraw(false));
    return () => {
      stop();
      size.disconnect();
      plot.destroy();
    };
  }, []);
  useSignalEffect(() => {
    chart.current?.setData(aligned(data.value));
  });
  return <div ref={element} class="chart" role="img" aria-label={label} />;
}

/** uPlot does not change what it is given, though its type does not say so. */
const aligned = ([times, ...lines]: ChartData): uPlot.AlignedData => [times, ...lines];

interface Drawn extends Pick<ChartProps, 'format' | 'hovered'> {
  readonly lines: number;
}

function optionsOf(root: HTMLElement, { lines, format, hovered }: Drawn): uPlot.Options {
  // A canvas knows no variables: the element has their colours.
  const style = getComputedStyle(root);
  const faint = (): string => style.caretColor;
  const strokes = [() => style.color, () => style.outlineColor];
  const font = `11px ${style.fontFamily}`;
  return {
    width: root.clientWidth,
    height,
    ms: 1,
    padding: [6, 4, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: group }, y: false, points: { size: 6 }, drag: { x: false, y: false, setScale: false } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.15 : 1] } },
    axes: [
      {
        stroke: faint,
        font,
        size: 22,
        gap: 4,
        space: 70,
        grid: { show: false },
        ticks: { show: false },
        values: clock,
      },
      {
        stroke: faint,
        font,
        size: 56,
        gap: 6,
        space: 34,
        grid: { stroke: () => style.borderTopColor, width: 1 },
        ticks: { show: false },
        values: (_, values) => values.map(format),
      },
    ],
    series: [
      {},
      ...strokes.slice(0, lines).map((stroke, n) => ({
        stroke,
        width: 1.5,
        points: { show: false },
        ...(n === 0 && lines === 1 && { fill: () => style.backgroundColor }),
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          hovered.value = cursor.idx ?? null;
        },
      ],
    },
  };
}

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const clock = (_: uPlot, times: number[]): string[] => times.map((time) => hour.format(time));

/** Of the system, or chosen. */
function onTheme(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = new MutationObserver(listener);
  system.addEventListener('change', listener);
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', listener);
    chosen.disconnect();
  };
}
