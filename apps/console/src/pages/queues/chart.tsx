import { type ReadonlySignal, type Signal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { hourText } from '../../design/time-text.ts';
import 'uplot/dist/uPlot.min.css';

/** Times in ms, then the values of each line. */
export type ChartData = readonly [number[], ...(number | null)[][]];

interface ChartProps {
  readonly data: ReadonlySignal<ChartData>;
  /** For screen readers. */
  readonly label: string;
  readonly format: (value: number) => string;
  /** The axis reaches at least this value. */
  readonly least: number;
  /** The point under the pointer, shared by all charts of a page; null: none. */
  readonly hovered: Signal<number | null>;
}

const height = 112;
/** A new gateway has few points: they are drawn at the right. */
const shortestMs = 180_000;
/** Minimum distance of the axis' labels, which have no seconds. */
const stepsMs = [1, 2, 5, 10, 15, 30].map((minutes) => 60_000 * minutes);
const group = 'queues';

/** Lines over time. The first has the colour of the text, the second a lighter one. */
export function Chart({ data, label, format, least, hovered }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  useEffect(() => {
    const root = element.current;
    if (!root) return;
    const lines = data.peek().length - 1;
    const plot = new uPlot(optionsOf(root, { lines, format, least, hovered }), aligned(data.peek()), root);
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

/** uPlot does not modify its input, although its type allows it. */
const aligned = ([times, ...lines]: ChartData): uPlot.AlignedData => [times, ...lines];

interface Drawn extends Pick<ChartProps, 'format' | 'least' | 'hovered'> {
  readonly lines: number;
}

function optionsOf(root: HTMLElement, { lines, format, least, hovered }: Drawn): uPlot.Options {
  // A canvas has no CSS variables, so colours are read from the element.
  const style = getComputedStyle(root);
  const faint = (): string => style.caretColor;
  const strokes = [() => style.color, () => style.outlineColor];
  const font = `11px ${style.fontFamily}`;
  return {
    width: root.clientWidth,
    height,
    ms: 1,
    padding: [6, 16, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: group }, y: false, points: { size: 6 }, drag: { x: false, y: false, setScale: false } },
    scales: {
      x: { range: (_, min, max) => [Math.min(min, max - shortestMs), max] },
      y: { range: (_, __, max) => [0, Math.max(least, max * 1.15)] },
    },
    axes: [
      {
        stroke: faint,
        font,
        size: 22,
        gap: 4,
        space: 70,
        incrs: stepsMs,
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
        points: { show: false, size: 4, filter: alone },
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

/** Points without neighbours, which no line would show. */
function alone({ data }: uPlot, line: number): number[] {
  const values = data[line] ?? [];
  const isKnown = (at: number): boolean => typeof values[at] === 'number';
  return Array.from(values, (_, at) => at).filter((at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1));
}

const clock = (_: uPlot, times: number[]): string[] => times.map(hourText);

/** The system's colour scheme, or the chosen one. */
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
