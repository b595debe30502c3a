import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { type Series, seriesSchema } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { bytesText, shortNumber } from '../../design/bytes-text.ts';
import { durationText } from '../../design/time-text.ts';
import { Problem } from '../../design/views.tsx';
import { Chart, type ChartData } from './chart.tsx';

type Name = keyof Series['points'];

interface Shown {
  readonly title: string;
  readonly lines: readonly { readonly name: Name; readonly label: string }[];
  readonly format: (value: number) => string;
  readonly least: number;
}

const perSecond = (value: number): string => `${shortNumber(value)}/s`;
const charts: readonly Shown[] = [
  {
    title: 'Throughput',
    lines: [
      { name: 'acceptedPerSecond', label: 'accepted' },
      { name: 'endedPerSecond', label: 'ended' },
    ],
    format: perSecond,
    least: 1,
  },
  { title: 'Waiting', lines: [{ name: 'waiting', label: 'jobs' }], format: shortNumber, least: 4 },
  { title: 'Oldest wait', lines: [{ name: 'oldestWaitMs', label: '' }], format: durationText, least: 100 },
  {
    title: 'Waits, p95',
    lines: [
      { name: 'queueWaitP95Ms', label: 'queue' },
      { name: 'firstEventP95Ms', label: 'first event' },
    ],
    format: durationText,
    least: 100,
  },
  { title: 'Open streams', lines: [{ name: 'openStreams', label: 'at this gateway' }], format: shortNumber, least: 4 },
  { title: 'Redis memory', lines: [{ name: 'redisBytes', label: '' }], format: bytesText, least: 1_000_000 },
];

/** The last hour, updated live. */
export function Charts() {
  const live = useLive('/admin/series', seriesSchema);
  const hovered = useSignal<number | null>(null);
  const series = live.data.value;
  const problem = live.problem.value;
  return (
    <>
      {problem !== undefined && <Problem text={problem} />}
      <div class="charts">
        {charts.map((shown) => (
          <Panel key={shown.title} shown={shown} data={live.data} hovered={hovered} isKnown={series !== undefined} />
        ))}
      </div>
    </>
  );
}

interface PanelProps {
  readonly shown: Shown;
  readonly data: ReadonlySignal<Series | undefined>;
  readonly hovered: Signal<number | null>;
  readonly isKnown: boolean;
}

function Panel({ shown: { title, lines, format, least }, data, hovered, isKnown }: PanelProps) {
  const drawn = useComputed<ChartData>(() => {
    const series = data.value;
    return [timesOf(series), ...lines.map(({ name }) => series?.points[name] ?? [])];
  });
  return (
    <figure class="panel chart-panel">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-values">
          {lines.map(({ name, label }, n) => (
            <span key={name} class={lines.length > 1 ? `chart-value line-${n}` : 'chart-value'}>
              <Value points={data.value?.points[name] ?? []} at={hovered} format={format} /> {label}
            </span>
          ))}
        </span>
      </figcaption>
      {isKnown && (
        <Chart data={drawn} label={`${title} of the last hour`} format={format} least={least} hovered={hovered} />
      )}
    </figure>
  );
}

interface ValueProps {
  readonly points: readonly (number | null)[];
  readonly at: ReadonlySignal<number | null>;
  readonly format: (value: number) => string;
}

/** The value under the pointer, otherwise the latest. */
function Value({ points, at, format }: ValueProps) {
  const value = at.value === null ? points.at(-1) : points[at.value];
  return <b>{typeof value === 'number' ? format(value) : '–'}</b>;
}

function timesOf(series: Series | undefined): number[] {
  if (!series) return [];
  return series.points.waiting.map((_, n) => series.fromMs + n * series.everyMs);
}
