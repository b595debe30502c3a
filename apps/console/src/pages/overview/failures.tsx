import type { Overview } from '@switchyard/operator-api';
import { href, taskPath } from '../../app/route.ts';
import { kindText } from '../../failure/failure-kinds.ts';

type Reason = Overview['failures']['reasons'][number];

const failedLately = 'state:failed,rejected since:1h';

/** Why tasks failed in the last hour. */
export function FailuresPanel({ failures: { total, counted, reasons, isPartial } }: Pick<Overview, 'failures'>) {
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Failures of the last hour</h2>
        <span class="faint">{total.toLocaleString()}</span>
        <span class="grow" />
        {total > 0 && <a href={href('/tasks', { q: failedLately })}>All of them</a>}
      </div>
      {reasons.length === 0 ? (
        <p class="panel-body soft">None.</p>
      ) : (
        <ul class="reasons">
          {reasons.map((reason) => (
            <ReasonLine key={reason.reason} reason={reason} counted={counted} />
          ))}
        </ul>
      )}
      {isPartial && <p class="not-shown faint">The archive does not answer: what Redis has forgotten is not counted</p>}
      {counted < total && <p class="not-shown faint">Reasons of the latest {counted.toLocaleString()}</p>}
    </section>
  );
}

function ReasonLine({
  reason: { reason, kind, count, agents, taskId },
  counted,
}: {
  readonly reason: Reason;
  readonly counted: number;
}) {
  return (
    <li>
      <a class="number" href={href('/tasks', { q: kind ? `${failedLately} reason:${kind}` : failedLately })}>
        {count.toLocaleString()}
      </a>
      <div class="reason-text">
        <a href={href(taskPath(taskId))} title="The latest task that failed so">
          {reason}
        </a>
        <div class="faint">{[kind && kindText(kind), agents.join(', ')].filter(Boolean).join(' · ')}</div>
        <svg class="reason-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect width={Math.max(1, (100 * count) / Math.max(1, counted))} height="4" />
        </svg>
      </div>
    </li>
  );
}
