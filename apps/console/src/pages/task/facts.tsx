import type { TaskDetail } from '@switchyard/operator-api';
import type { ComponentChildren } from 'preact';
import { href, taskPath } from '../../app/route.ts';
import { chooseDeployment, session } from '../../app/session.ts';
import { clientText } from '../../design/client-text.ts';
import { Id } from '../../design/id.tsx';
import { fullTime } from '../../design/time-text.ts';

/** A task's principal, agent and progress. */
export function Facts({ detail }: { readonly detail: TaskDetail }) {
  const { taskId, contextId, tenant, subject, messagesAccepted, inbox, timeline, expiresAt, scheduledFor } = detail;
  const { priority, beginBy, isTerminal } = detail;
  return (
    <dl class="task-facts">
      <Fact name="Task">
        <Id id={taskId} length={36} />
      </Fact>
      <Fact name="Context">
        {contextId === taskId ? 'none' : <ContextLink contextId={contextId} deployment={detail.deployment} />}
      </Fact>
      {detail.deployment !== undefined && <Fact name="Deployment">{detail.deployment}</Fact>}
      <Fact name="Client">{clientText({ tenant, subject })}</Fact>
      <Fact name="Messages">{inbox > 0 ? `${messagesAccepted}, ${inbox} waiting` : messagesAccepted}</Fact>
      <Fact name="Attempts">{detail.epoch}</Fact>
      <Fact name="Events">{detail.seq}</Fact>
      {timeline?.calledBy !== undefined && (
        <Fact name="Called by">
          <a href={href(taskPath(timeline.calledBy))}>{timeline.calledBy.slice(0, 8)}</a>
        </Fact>
      )}
      {priority !== undefined && <Fact name="Priority">{priority}</Fact>}
      {beginBy !== undefined && (
        <Fact name={isTerminal ? 'Not begun by' : 'Rejected unless begun by'}>{fullTime(beginBy)}</Fact>
      )}
      {scheduledFor !== undefined && <Fact name="Scheduled for">{fullTime(scheduledFor)}</Fact>}
      {detail.isArchived && <Fact name="Kept">in the archive</Fact>}
      {expiresAt !== undefined && <Fact name="Kept until">{fullTime(expiresAt)}</Fact>}
    </dl>
  );
}

/** The tasks of the context in the task's deployment, which may be another one than the operator has chosen. */
function ContextLink({ contextId, deployment }: Pick<TaskDetail, 'contextId' | 'deployment'>) {
  const to = href('/tasks', { q: `context:"${contextId}"` });
  const isOther = deployment !== undefined && deployment !== session().me.deployment;
  const follow = (event: MouseEvent): void => {
    if (!isOther || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    chooseDeployment(deployment, to);
  };
  const where = deployment === undefined ? '' : ` in deployment ${deployment}`;
  return (
    <a href={to} title={`All tasks of the context${where}`} onClick={follow}>
      {contextId}
    </a>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
