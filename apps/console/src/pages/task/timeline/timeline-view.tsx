import type { Timeline } from '@switchyard/operator-api';
import { useState } from 'preact/hooks';
import { href, taskPath } from '../../../app/route.ts';
import { stateColour, stateName } from '../../../design/badges.ts';
import { Icon } from '../../../design/icon.tsx';
import { clockTime, durationText } from '../../../design/time-text.ts';
import { useCalledTasks } from './called-tasks.ts';
import { RowDetails } from './row-details.tsx';
import { TimeAxis } from './time-axis.ts';
import { type Mark, momentsOf, type Row, rowsOf } from './timeline-rows.ts';

/** Maximum number of rendered rows. */
const SHOWN = 200;

const notKept = (attempts: number): string =>
  attempts === 1 ? '1 earlier attempt is not kept.' : `${attempts} earlier attempts are not kept.`;

interface TimelineProps {
  readonly taskId: string;
  readonly timeline: Timeline;
  /** End of unfinished rows. */
  readonly nowMs: number;
}

/** The history of a task, row by row on one time axis; called tasks open in place. */
export function TimelineView({ taskId, timeline, nowMs }: TimelineProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(failedKeys(timeline)));
  const [isWhole, setWhole] = useState(false);
  const called = useCalledTasks(timeline);
  const all = rowsOf(timeline, nowMs).flatMap((row): Row[] => {
    const inner = row.taskId === undefined ? undefined : called.get(row.taskId);
    if (!inner?.timeline) return [row];
    const rows = rowsOf(inner.timeline, nowMs).filter(({ kind }) => kind !== 'moments');
    const became = { detail: stateName(inner.state), colour: stateColour(inner.state) };
    const whole = { ...row, ...became, ...spanOf(rows, row.from) };
    if (!opened.has(row.key)) return [whole];
    return [
      whole,
      ...rows.map((each) => ({ ...each, key: `${row.key} ${each.key}`, depth: each.depth + 2, ofTask: row.taskId })),
    ];
  });
  const shown = isWhole ? all : all.slice(0, SHOWN);
  const axis = new TimeAxis([...momentsOf(shown), ...(shown.some(({ isOpen }) => isOpen) ? [nowMs] : [])]);
  const toggle = (key: string): void => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  if (all.length === 0) return <p class="faint">Its history is no longer stored.</p>;
  return (
    <div class="timeline">
      {timeline.earlierAttempts > 0 && <p class="faint">{notKept(timeline.earlierAttempts)}</p>}
      {timeline.isPartial && (
        <p class="faint">
          The task has too many steps or events: the first steps, or states in the middle, are left out.
        </p>
      )}
      <ol>
        {shown.map((row) => (
          <li key={row.key}>
            <RowView row={row} axis={axis} isOpened={opened.has(row.key)} onToggle={toggle} />
            {row.entry && opened.has(row.key) && (
              <RowDetails taskId={row.ofTask ?? taskId} entry={row.entry} attempt={row.attempt} />
            )}
          </li>
        ))}
      </ol>
      <Axis axis={axis} rows={shown} nowMs={nowMs} />
      {shown.length < all.length && (
        <button type="button" class="link-button" onClick={() => setWhole(true)}>
          Show all {all.length} lines
        </button>
      )}
    </div>
  );
}

/** From the call to the end of the called task's work. */
function spanOf(rows: readonly Row[], from: number): Pick<Row, 'until' | 'isOpen'> {
  const ends = rows.flatMap(({ until }) => until ?? []);
  return { until: Math.max(from, ...ends), isOpen: rows.some(({ isOpen }) => isOpen) };
}

interface RowProps {
  readonly row: Row;
  readonly axis: TimeAxis;
  readonly isOpened: boolean;
  readonly onToggle: (taskId: string) => void;
}

function RowView({ row, axis, isOpened, onToggle }: RowProps) {
  const { kind, depth, detail, colour, from, until, isOpen, marks } = row;
  const length = until === undefined || until === from ? '' : durationText(until - from);
  const place = until === undefined ? undefined : axis.stretch(from, until);
  return (
    <div class={`line is-${kind} ${colour}${isOpen ? ' is-open' : ''}`}>
      <span class={`line-name depth-${Math.min(depth, 4)}`}>
        <RowName row={row} isOpened={isOpened} onToggle={onToggle} />
      </span>
      <span class="line-track" aria-hidden="true">
        {place && <span class="line-bar" style={{ left: `${place.left}%`, width: `${place.width}%` }} />}
        {marks.map((mark, i) => (
          <MarkView key={i} mark={mark} axis={axis} />
        ))}
      </span>
      <span class="line-detail">
        {length && <b>{length}</b>}
        <span class={colour} title={detail}>
          {detail}
        </span>
      </span>
    </div>
  );
}

/** The name of a row, with a button that opens what is known of it. */
function RowName({ row, isOpened, onToggle }: Omit<RowProps, 'axis'>) {
  const { key, kind, label, about, taskId, entry } = row;
  return (
    <>
      {entry && (
        <button
          type="button"
          class="line-toggle"
          aria-expanded={isOpened}
          aria-label={kind === 'call' ? `What ${label} did` : `Details of ${label}`}
          onClick={() => onToggle(key)}
        >
          <Icon name={isOpened ? 'down' : 'right'} size={12} />
        </button>
      )}
      {taskId === undefined ? (
        <span class="line-label" title={label}>
          {label}
          {about !== undefined && <span class="faint"> {about}</span>}
        </span>
      ) : (
        <a class="line-label" href={href(taskPath(taskId))} title={`Open ${taskId}`}>
          {label}
        </a>
      )}
    </>
  );
}

/** The last failure is open at once: it is what one comes for. */
function failedKeys({ entries }: Timeline): string[] {
  const attempts = entries.filter((entry) => entry.kind === 'attempt');
  const last = attempts.at(-1);
  return last?.failure ? [`attempt ${last.epoch}`] : [];
}

function MarkView({ mark: { at, text, colour }, axis }: { readonly mark: Mark; readonly axis: TimeAxis }) {
  const title = `${text} · ${clockTime(at)}`;
  return <span class={`line-mark ${colour}`} title={title} style={{ left: `${axis.place(at)}%` }} />;
}

/** The beginning, the end, and the cut pauses. */
function Axis({
  axis,
  rows,
  nowMs,
}: {
  readonly axis: TimeAxis;
  readonly rows: readonly Row[];
  readonly nowMs: number;
}) {
  const moments = momentsOf(rows);
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const goesOn = rows.some(({ isOpen }) => isOpen);
  return (
    <div class="line axis" aria-hidden="true">
      <span class="line-name" />
      <span class="line-track">
        <span class="axis-from">{clockTime(first)}</span>
        {axis.gaps.map(({ at, ms }) => (
          <span
            key={at}
            class="axis-gap"
            style={{ left: `${Math.min(90, at)}%` }}
            title="Nothing happened: drawn shorter than it was"
          >
            {durationText(ms)}
          </span>
        ))}
        <span class="axis-until">{goesOn ? 'now' : clockTime(last)}</span>
      </span>
      <span class="line-detail">
        <b>{durationText((goesOn ? nowMs : last) - first)}</b>
        <span>in all</span>
      </span>
    </div>
  );
}
