import type { TaskRow } from '@switchyard/operator-api';
import { href, taskPath } from '../../app/route.ts';
import { shortId } from '../../design/id.tsx';
import { State } from '../../design/state.tsx';
import { Ago, fullTime } from '../../design/time.tsx';

/** Column headers, hidden from screen readers: each cell has its own label. */
export function TaskHead() {
  return (
    <div class="task-head" aria-hidden="true">
      <span>State</span>
      <span>Task</span>
      <span>Agent</span>
      <span>Principal</span>
      <span class="number">Attempts</span>
      <span class="number">Age</span>
    </div>
  );
}

export function TaskLine({ row, isSelected }: { readonly row: TaskRow; readonly isSelected: boolean }) {
  const { taskId, text, agent, attempts, at, scheduledFor } = row;
  return (
    <a class={isSelected ? 'task-line selected' : 'task-line'} href={href(taskPath(taskId))}>
      <span class="task-state">
        <State state={row.state} />
      </span>
      <span class="task-text clip">
        <span class="mono faint">{shortId(taskId)}</span>{' '}
        {scheduledFor !== undefined && <span class="soft">for {fullTime(scheduledFor)}: </span>}
        {text}
      </span>
      <span class="task-agent clip">{agent}</span>
      <span class="task-principal clip soft">{principalText(row)}</span>
      <span class="task-attempts number">
        {attempts > 1 && <span title={`${attempts} attempts`}>{attempts}×</span>}
      </span>
      <span class="task-age number soft">
        <Ago at={at} />
      </span>
    </a>
  );
}

function principalText({ tenant, subject }: TaskRow): string {
  return [tenant, subject].filter(Boolean).join(' / ') || 'anonymous';
}
