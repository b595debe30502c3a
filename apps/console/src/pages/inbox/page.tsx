import { pageOf, type WaitingTask, waitingTaskSchema } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { href, parts, taskPath } from '../../app/route.ts';
import { Markdown } from '../../content/markdown.tsx';
import { clientText } from '../../design/client-text.ts';
import { Page } from '../../design/page.tsx';
import { Split, useSplitKeys } from '../../design/split.tsx';
import { State } from '../../design/state.tsx';
import { Ago, Duration } from '../../design/time.tsx';
import { fullTime } from '../../design/time-text.ts';
import { Empty, NotShown, WithData } from '../../design/views.tsx';
import { AnswerForm } from '../task/answer-form.tsx';
import '../../content/content.css';
import './page.css';

const pageSchema = pageOf('tasks', waitingTaskSchema);
const query = { contents: true, pageSize: 100 };

/** All tasks that wait for a person, the oldest first. The URL has the selected one. */
export function InboxPage() {
  const live = useLive('/admin/interrupted', pageSchema, query);
  const total = live.data.value?.totalSize;
  return (
    <Page title="Inbox" about={total === undefined ? '' : total.toLocaleString()} isLost={live.isLost} isFull>
      <WithData live={live}>{({ tasks, totalSize }) => <Inbox tasks={tasks} totalSize={totalSize} />}</WithData>
    </Page>
  );
}

function Inbox({ tasks, totalSize }: { readonly tasks: readonly WaitingTask[]; readonly totalSize: number }) {
  const chosenId = parts.value[1];
  const chosen = tasks.find(({ taskId }) => taskId === chosenId);
  const ids = tasks.map(({ taskId }) => taskId);
  useSplitKeys('/inbox', ids, chosenId);
  if (tasks.length === 0)
    return (
      <Empty icon="check" title="Nobody waits for you">
        A task comes here when its agent asks a question, or for a sign-in.
      </Empty>
    );
  return (
    <Split
      list={
        <>
          {tasks.map((task) => (
            <Item key={task.taskId} task={task} isChosen={task === chosen} />
          ))}
          <NotShown shown={tasks.length} totalSize={totalSize} />
        </>
      }
      detail={chosen ? <Question key={chosen.taskId} task={chosen} /> : gone(chosenId, totalSize > tasks.length)}
      otherwise={<Empty icon="inbox" title="Choose a task to answer" />}
    />
  );
}

const gone = (chosenId: string | undefined, isLonger: boolean) =>
  chosenId === undefined ? undefined : (
    <Empty icon="check" title={isLonger ? 'It is not among the oldest here' : 'It waits no longer'}>
      <a href={href(taskPath(chosenId))}>See the task</a>, or <a href={href('/inbox')}>what else waits</a>.
    </Empty>
  );

function Item({ task, isChosen }: { readonly task: WaitingTask; readonly isChosen: boolean }) {
  const { taskId, agent, question, interruptedSince, state } = task;
  return (
    <a class="split-item" href={href(`/inbox/${taskId}`)} aria-current={isChosen || undefined}>
      <span class="row">
        <b class="grow clip">{agent}</b>
        <span class="faint">
          <Ago at={interruptedSince} />
        </span>
      </span>
      <span class="soft inbox-question">{question || noQuestion(state)}</span>
    </a>
  );
}

function Question({ task }: { readonly task: WaitingTask }) {
  const { taskId, agent, tenant, subject, state, interruptedSince, endsAt, question } = task;
  return (
    <article class="inbox-task">
      <a class="split-back" href={href('/inbox')}>
        ← Inbox
      </a>
      <header>
        <State state={state} />
        <h2>{agent}</h2>
        <span class="grow" />
        <a href={href(taskPath(taskId))} title={taskId}>
          See the task
        </a>
      </header>
      <div class="inbox-words">
        <Markdown text={question || noQuestion(state)} />
      </div>
      <dl class="facts">
        <dt>Waiting since</dt>
        <dd>
          <Duration from={interruptedSince} /> <span class="faint">({fullTime(interruptedSince)})</span>
        </dd>
        <dt>Is canceled</dt>
        <dd>{fullTime(endsAt)}, unless it is answered</dd>
        <dt>Client</dt>
        <dd>{clientText({ tenant, subject })}</dd>
      </dl>
      <AnswerForm taskId={taskId} />
    </article>
  );
}

function noQuestion(state: WaitingTask['state']): string {
  return state === 'TASK_STATE_AUTH_REQUIRED' ? 'It asks for a sign-in.' : 'It asks for input without a text.';
}
