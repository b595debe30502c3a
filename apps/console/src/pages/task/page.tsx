import { type Signal, useSignal } from '@preact/signals';
import { type Diagnosis, type TaskDetail, taskDetailSchema } from '@switchyard/operator-api';
import { isInterrupted } from '@switchyard/protocol';
import { useMemo } from 'preact/hooks';
import { useLive, useNow } from '../../app/live.ts';
import { go, href, parts, query, setQuery, taskPath } from '../../app/route.ts';
import { stateName } from '../../design/badges.ts';
import { Button } from '../../design/button.tsx';
import { shortId } from '../../design/id.tsx';
import { Json } from '../../design/json.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Empty, Problem, WithData } from '../../design/views.tsx';
import { cancelTask, retryDeadLetter } from './actions.ts';
import { AnswerForm, answerId } from './answer-form.tsx';
import { Artifacts } from './content/artifacts.tsx';
import { Chat } from './content/chat.tsx';
import { type TaskEvents, useTaskEvents } from './content/task-events.ts';
import { EventForm, eventId } from './event-form.tsx';
import { Facts } from './facts.tsx';
import { awaitedEvents, Finding } from './finding.tsx';
import { Panel } from './panel.tsx';
import { Readers } from './readers.tsx';
import { RerunDialog } from './rerun-dialog.tsx';
import { TaskUsagePanel } from './task-usage.tsx';
import { TimelineView } from './timeline/timeline-view.tsx';
import './task.css';

/** One task: the reason for its state, its timeline, messages and artifacts. */
export function TaskPage() {
  const [, taskId = ''] = parts.value;
  return <OneTask key={taskId} taskId={taskId} />;
}

const tabs = { overview: 'Overview', json: 'JSON' };

function OneTask({ taskId }: { readonly taskId: string }) {
  const detail = useLive(`/admin/tasks/${taskId}`, taskDetailSchema, { timeline: true });
  const known = detail.data.value;
  const events = useTaskEvents(taskId, known !== undefined);
  const isRerun = useSignal(false);
  const view = query.value.get('view') === 'json' ? 'json' : 'overview';
  if (detail.isMissing.value) return <NoSuchTask taskId={taskId} />;
  return (
    <Page
      title={<Title>{known?.agent ?? shortId(taskId)}</Title>}
      tab={known && `${stateName(known.state)}: ${known.agent} ${taskId.slice(0, 8)}`}
      about={known && <State state={known.state} />}
      isLost={detail.isLost}
      actions={known && <Actions detail={known} isRerun={isRerun} />}
      bar={
        <Tabs
          label="Views of the task"
          tabs={tabs}
          selected={view}
          onSelect={(name) => setQuery({ view: name === 'json' ? name : undefined })}
        />
      }
    >
      <WithData live={detail}>
        {(data) =>
          view === 'json' ? (
            <Raw detail={data} events={events} />
          ) : (
            <Overview detail={data} events={events} isRerun={isRerun} />
          )
        }
      </WithData>
      <RerunDialog
        taskId={taskId}
        steps={known?.steps ?? []}
        first={events.live.task.value?.history?.[0]}
        isOpen={isRerun.value}
        onClose={() => {
          isRerun.value = false;
        }}
      />
    </Page>
  );
}

function Title({ children }: { readonly children: string }) {
  return (
    <>
      <a href={href('/tasks')}>Tasks</a> <span class="faint">/</span> {children}
    </>
  );
}

function NoSuchTask({ taskId }: { readonly taskId: string }) {
  return (
    <Page title={<Title>{shortId(taskId)}</Title>}>
      <Empty icon="search" title="There is no such task">
        No task has the id <code>{taskId}</code>. A task that has ended is kept for the time of{' '}
        <code>RETENTION_MS</code>, and then deleted. <a href={href('/tasks')}>See all tasks</a>
      </Empty>
    </Page>
  );
}

interface ActionsProps {
  readonly detail: TaskDetail;
  readonly isRerun: Signal<boolean>;
}

function Actions({ detail: { taskId, isTerminal, cancelRequested }, isRerun }: ActionsProps) {
  if (!isTerminal)
    return (
      <Button isDisabled={cancelRequested} onPress={() => cancelTask(taskId)}>
        {cancelRequested ? 'Cancel requested' : 'Cancel'}
      </Button>
    );
  const open = (): void => {
    isRerun.value = true;
  };
  return (
    <Button icon="retry" onPress={open}>
      Run again
    </Button>
  );
}

interface OverviewProps extends ActionsProps {
  readonly events: TaskEvents;
}

function Overview({ detail, events, isRerun }: OverviewProps) {
  const { taskId, timeline, agent, seq } = detail;
  const now = useNow();
  const onAction = async (action: Diagnosis['actions'][number]): Promise<void> => {
    if (action === 'cancel') await cancelTask(taskId);
    if (action === 'answer') document.getElementById(answerId)?.focus();
    if (action === 'give-event') document.getElementById(eventId)?.focus();
    if (action !== 'retry') return;
    if (detail.deadLetter) go(taskPath(await retryDeadLetter(taskId)));
    else isRerun.value = true;
  };
  return (
    <div class="task">
      <Finding detail={detail} lastWords={events.live.task.value?.status.message} onAction={onAction} />
      <Facts detail={detail} />
      {detail.usage && <TaskUsagePanel usage={detail.usage} budget={detail.budget} />}
      {timeline && (
        <Panel title="Timeline">
          <TimelineView taskId={taskId} timeline={timeline} nowMs={now.value} />
        </Panel>
      )}
      <Contents events={events} agent={agent} taskId={taskId} awaited={awaitedEvents(detail)} />
      {timeline && <Readers timeline={timeline} seq={seq} />}
    </div>
  );
}

interface ContentsProps {
  readonly events: TaskEvents;
  readonly agent: string;
  readonly taskId: string;
  /** Events for which its turn waits. */
  readonly awaited: readonly string[];
}

function Contents({ events: { live, problem }, agent, taskId, awaited }: ContentsProps) {
  const task = live.task.value;
  // Chunks do not change the history: the same object is not rendered again.
  const chat = useMemo(
    () => <Chat taskId={taskId} history={task?.history ?? []} agent={agent} />,
    [taskId, task?.history, agent],
  );
  return (
    <>
      {problem.value !== undefined && <Problem text={problem.value} />}
      <div class="task-contents">
        <Panel title="Conversation">
          {task && chat}
          {task && isInterrupted(task.status.state) && <AnswerForm taskId={taskId} />}
          {awaited.length > 0 && <EventForm taskId={taskId} events={awaited} />}
        </Panel>
        <Panel title="Artifacts" about={task?.artifacts?.length || undefined}>
          {task && <Artifacts live={live} task={task} />}
        </Panel>
      </div>
    </>
  );
}

/** The task as JSON, and its stored record. */
function Raw({ detail: { timeline, diagnosis, ...record }, events }: Omit<OverviewProps, 'isRerun'>) {
  const all = { 'A2A task': events.live.task.value, Record: record, Diagnosis: diagnosis, Timeline: timeline };
  return (
    <div class="task">
      {Object.entries(all).map(([name, value]) => (
        <Panel key={name} title={name} isPlain>
          <Json value={value} />
        </Panel>
      ))}
    </div>
  );
}
