import { useSignal } from '@preact/signals';
import { type Query, readSearch, type TaskSearch, taskPageSchema } from '@switchyard/operator-api';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { call, problemText } from '../../app/api.ts';
import { useLive } from '../../app/live.ts';
import { query, setQuery } from '../../app/route.ts';
import { session } from '../../app/session.ts';
import { BulkBar } from '../../design/bulk.tsx';
import { Search } from '../../design/field.tsx';
import { useMedia } from '../../design/media.ts';
import { Page } from '../../design/page.tsx';
import { Empty, Loading, Problem } from '../../design/views.tsx';
import { VirtualList } from '../../design/virtual-list.tsx';
import { taskActions } from './bulk-actions.ts';
import { SearchHelp } from './search-help.tsx';
import { useSelection } from './selection.ts';
import { TaskHead, TaskLine } from './task-line.tsx';
import { liveQuery, TaskList } from './task-list.ts';
import { ViewsBar } from './views-bar.tsx';
import './page.css';

/** Pause in typing after which the search starts. */
const pauseMs = 200;

const readPage = (search: TaskSearch, page: Query) =>
  call('/admin/tasks', taskPageSchema, { query: { ...search, ...page, contents: true } });

/** All tasks, the newest first. The URL has the search. */
export function TasksPage() {
  const text = query.value.get('q') ?? '';
  const { search, problem } = useMemo(() => readSearch(text, Date.now()), [text]);
  const list = useMemo(() => new TaskList((page) => readPage(search, page), search.sort), [search]);
  const live = useLive(problem === undefined ? '/admin/tasks' : undefined, taskPageSchema, liveQuery(search));
  const page = live.isStale ? undefined : live.data.value;
  useEffect(() => {
    if (page) list.takeNewest(page);
  }, [page, list]);
  const count = problem === undefined ? countText(list.totalSize.value, page?.isPartial) : '';
  return (
    <Page
      title="Tasks"
      tab={text === '' ? 'Tasks' : `Tasks: ${text}`}
      about={count}
      isLost={live.isLost}
      bar={<SearchBar text={text} />}
      isFull
    >
      <Problems
        texts={[
          problem,
          live.problem.value,
          list.problem.value === undefined ? undefined : problemText(list.problem.value),
        ]}
      />
      {problem === undefined && (
        <Rows
          list={list}
          text={text}
          hasWords={search.text !== undefined}
          hasFailed={live.problem.value !== undefined}
        />
      )}
    </Page>
  );
}

function SearchBar({ text }: { readonly text: string }) {
  const typed = useTyped(text);
  return (
    <>
      <Search
        label="Search tasks"
        placeholder="An id, or agent:pizza state:failed tenant:acme since:1h"
        value={typed.text}
        onInput={typed.onInput}
        help={<SearchHelp text={typed.text} onInput={typed.onAdd} />}
      />
      <ViewsBar text={text} onSelect={(view) => setQuery({ q: view }, { replaces: false })} />
    </>
  );
}

function countText(totalSize: number | undefined, isPartial = false): string {
  if (totalSize === undefined) return '';
  return `${isPartial ? 'at least ' : ''}${totalSize.toLocaleString()}${placeText('in')}`;
}

/** Of several deployments, the one that is searched: ` in deployment 1`. */
function placeText(word: 'in' | 'of'): string {
  const { deployments, deployment } = session().me;
  return deployments === undefined ? '' : ` ${word} deployment ${deployment}`;
}

function Problems({ texts }: { readonly texts: readonly (string | undefined)[] }) {
  const [first] = texts.filter((text) => text !== undefined);
  return first === undefined ? null : (
    <div class="task-problem">
      <Problem text={first} />
    </div>
  );
}

interface RowsProps {
  readonly list: TaskList;
  readonly text: string;
  /** Whether the search has words of messages and artifacts. */
  readonly hasWords: boolean;
  readonly hasFailed: boolean;
}

/** The rows of the search; until it has some, those of the search before it, pale. */
function Rows({ list, text, hasWords, hasFailed }: RowsProps) {
  const shown = useRef(list);
  if (list.totalSize.value !== undefined) shown.current = list;
  const isOld = shown.current !== list;
  if (shown.current.totalSize.value === undefined || (isOld && hasFailed)) return hasFailed ? null : <Loading />;
  if (shown.current.rows.value.length === 0 && !isOld) return <NoTasks isSearch={text !== ''} hasWords={hasWords} />;
  return (
    <div class={isOld ? 'task-rows stale' : 'task-rows'} aria-busy={isOld}>
      <Found list={shown.current} text={text} />
    </div>
  );
}

function Found({ list, text }: { readonly list: TaskList; readonly text: string }) {
  const isNarrow = useMedia('(max-width: 720px)');
  const selection = useSelection(list);
  const rows = list.rows.value;
  const { current, focusId, onFocused, chosen, choose, toggle } = selection;
  const ids = chosen.value;
  return (
    <>
      <BulkBar
        ids={[...ids]}
        things="tasks"
        actions={taskActions}
        onChooseAll={() => choose(rows.map(({ taskId }) => taskId))}
        onClear={() => choose([])}
      />
      <TaskHead text={text} />
      <VirtualList
        label="Tasks"
        rows={rows}
        rowHeight={isNarrow.value ? 60 : 36}
        keyOf={({ taskId }) => taskId}
        isSelected={({ taskId }) => ids.has(taskId)}
        shownIndex={current.value}
        focusKey={focusId.value}
        onFocused={onFocused}
        renderRow={(row, index) => (
          <TaskLine row={row} isCurrent={index === current.value} isChosen={ids.has(row.taskId)} onToggle={toggle} />
        )}
        onNearEnd={() => void list.more()}
      />
      {list.isCut.value && (
        <p class="task-cut faint">
          The page keeps {rows.length.toLocaleString()} tasks. Search for older ones with <code>until:</code>
        </p>
      )}
    </>
  );
}

function NoTasks({ isSearch, hasWords }: { readonly isSearch: boolean; readonly hasWords: boolean }) {
  if (isSearch)
    return (
      <Empty icon="search" title={`No task${placeText('of')} matches`}>
        {hasWords && 'Words are whole, and found in ended tasks only, once these are in the archive.'}
      </Empty>
    );
  return (
    <Empty icon="tasks" title="No tasks yet">
      Send a message to an agent: the page <a href="/console/agents">Agents</a> can.
    </Empty>
  );
}

/** The typed text, before the search starts. */
function useTyped(text: string) {
  const draft = useSignal<string | undefined>(undefined);
  const searched = useRef(text);
  useEffect(() => {
    // The URL has another search than that of this field: a link, or the browser's back. Else typing goes on.
    if (text !== searched.current) draft.value = undefined;
  }, [text]);
  useEffect(() => {
    const { value } = draft;
    if (value === undefined) return;
    const timer = setTimeout(() => {
      searched.current = value.trim();
      setQuery({ q: searched.current });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [draft.value]);
  return {
    text: draft.value ?? text,
    onInput: (value: string) => {
      draft.value = value;
    },
    /** Adds a term by a click: typing goes on behind it. */
    onAdd: (value: string) => {
      draft.value = value;
      document.querySelector<HTMLInputElement>('[data-search]')?.focus();
    },
  };
}
