import type { TaskRow } from '@switchyard/operator-api';
import { usdText } from '@switchyard/protocol';
import { href, setQuery, taskPath } from '../../app/route.ts';
import { clientText } from '../../design/client-text.ts';
import { shortId } from '../../design/id.tsx';
import { State } from '../../design/state.tsx';
import { Ago } from '../../design/time.tsx';
import { fullTime } from '../../design/time-text.ts';
import { cell } from '../../design/virtual-list.tsx';
import { kindText } from '../../failure/failure-kinds.ts';
import { termIn, withTerm } from './search-text.ts';

/** Column headers, hidden from screen readers: each cell has its own label. */
export function TaskHead({ text }: { readonly text: string }) {
  return (
    <div class="task-head" aria-hidden="true">
      <span />
      <span>State</span>
      <span>Task</span>
      <span>Agent</span>
      <span>Client</span>
      <span class="number">Attempts</span>
      <span class="number">
        <SortByCost text={text} />
      </span>
      <span class="number">Age</span>
    </div>
  );
}

/** Sorts by cost, or by time again. */
function SortByCost({ text }: { readonly text: string }) {
  const isOn = termIn(text, 'sort') === 'cost';
  const onClick = (): void => setQuery({ q: withTerm(text, 'sort', isOn ? '' : 'cost') }, { replaces: false });
  return (
    <button
      type="button"
      class="term-button"
      title={isOn ? 'Latest first' : 'Dearest first'}
      tabIndex={-1}
      onClick={onClick}
    >
      Cost{isOn && ' ↓'}
    </button>
  );
}

interface TaskLineProps {
  readonly row: TaskRow;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly onToggle: (taskId: string) => void;
}

/** The cells of a row: a box to choose it, and its link. Without state of its own: fast scrolling renders many. */
export function TaskLine({ row, isCurrent, isChosen, onToggle }: TaskLineProps) {
  const { taskId } = row;
  return (
    <div class={isCurrent ? 'task-line current' : 'task-line'}>
      <span {...cell} class="task-box">
        <input
          type="checkbox"
          aria-label={`Choose task ${shortId(taskId)}`}
          checked={isChosen}
          onChange={() => onToggle(taskId)}
        />
      </span>
      <span {...cell} class="task-cell">
        <a class="task-link" href={href(taskPath(taskId))}>
          <Cells row={row} />
        </a>
      </span>
    </div>
  );
}

function Cells({ row }: { readonly row: TaskRow }) {
  const { taskId, text, agent, attempts, at, scheduledFor, state, reason, microUsd, unpricedCalls } = row;
  return (
    <>
      <span class="task-state">
        <State state={state} />
      </span>
      <span class="task-text clip">
        <span class="mono faint">{shortId(taskId)}</span>{' '}
        {scheduledFor !== undefined && <span class="soft">for {fullTime(scheduledFor)}: </span>}
        {reason && (
          <span class="task-reason" title={`${kindText(reason.kind)}: ${reason.message}`}>
            {reason.message} ·{' '}
          </span>
        )}
        {text}
      </span>
      <span class="task-agent clip">{agent}</span>
      <span class="task-principal clip soft">{clientText(row)}</span>
      <span class="task-attempts number">
        {attempts > 1 && <span title={`${attempts} attempts`}>{attempts}×</span>}
      </span>
      <span
        class="task-cost number"
        title={unpricedCalls === undefined ? undefined : `${unpricedCalls} requests without a price`}
      >
        {[microUsd === undefined ? [] : usdText(microUsd), unpricedCalls === undefined ? [] : '?'].flat().join(' + ')}
      </span>
      <span class="task-age number soft">
        <Ago at={at} />
      </span>
    </>
  );
}
