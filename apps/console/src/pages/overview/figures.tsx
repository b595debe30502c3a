import { type Overview, type Series, seriesSchema } from '@switchyard/operator-api';
import { useMemo } from 'preact/hooks';
import { useLive } from '../../app/live.ts';
import { href } from '../../app/route.ts';
import { durationText } from '../../design/time-text.ts';

/** Only the latest points are shown. */
const shownMs = 60_000;

/** What goes through the deployment now, and how long it waits. */
export function Figures({ overview }: { readonly overview: Overview }) {
  const query = useMemo(() => ({ fromMs: Date.now() - shownMs }), []);
  const series = useLive('/admin/series', seriesSchema, query).data.value;
  const { active, waiting, delayed, oldestWaitMs, scheduled, workers } = overview;
  return (
    <dl class="figures">
      <Figure name="Accepted" value={rate(latest(series, 'acceptedPerSecond'))} to="/queues" />
      <Figure name="Ended" value={rate(latest(series, 'endedPerSecond'))} to="/queues" />
      <Figure name="Running" value={active.toLocaleString()} to="/tasks" q="state:working" />
      <Figure
        name="Waiting"
        value={waiting.toLocaleString()}
        more={[oldestWaitMs > 0 && `oldest ${durationText(oldestWaitMs)}`, delayed > 0 && `${delayed} to be retried`]}
        to="/queues"
      />
      <Figure name="Wait in the queue, p95" value={duration(latest(series, 'queueWaitP95Ms'))} to="/queues" />
      <Figure name="First event, p95" value={duration(latest(series, 'firstEventP95Ms'))} to="/queues" />
      <Figure name="Scheduled" value={scheduled.toLocaleString()} to="/tasks" q="state:open" />
      <Figure
        name="Workers"
        value={workers.live.toLocaleString()}
        more={[workers.silent > 0 && `${workers.silent} silent`]}
        to="/agents"
      />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly more?: readonly (string | false)[];
  readonly to: string;
  readonly q?: string;
}

function Figure({ name, value, more = [], to, q }: FigureProps) {
  const rest = more.filter(Boolean).join(', ');
  return (
    <div class="figure panel">
      <dt>
        <a href={href(to, { q })}>{name}</a>
      </dt>
      <dd>
        <b>{value}</b> {rest && <span class="faint">{rest}</span>}
      </dd>
    </div>
  );
}

/** The latest value that is known. */
function latest(series: Series | undefined, name: keyof Series['points']): number | undefined {
  return series?.points[name].findLast((value) => value !== null) ?? undefined;
}

const rate = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(1)}/s`);
const duration = (value: number | undefined): string => (value === undefined ? '–' : durationText(value));
