import { useSignal } from '@preact/signals';
import { taskPageSchema } from '@switchyard/operator-api';
import { useEffect, useMemo } from 'preact/hooks';
import { useLive } from '../../app/live.ts';
import { query, setQuery } from '../../app/route.ts';
import { Search } from '../../design/field.tsx';
import { useMedia } from '../../design/media.ts';
import { Page } from '../../design/page.tsx';
import { Empty, Loading, Problem } from '../../design/views.tsx';
import { VirtualList } from '../../design/virtual-list.tsx';
import { readSearch } from './search-text.ts';
import { useSelection } from './selection.ts';
import { TaskHead, TaskLine } from './task-line.tsx';
import { liveQuery, TaskList } from './task-list.ts';
import { ViewsBar } from './views-bar.tsx';
import './page.css';

/** Pause in typing after which the search starts. */
const pauseMs = 200;

/** All tasks, the newest first. The URL has the search. */
export function TasksPage() {
  const text = query.value.get('q') ?? '';
  const { search, problem } = useMemo(() => readSearch(text, Date.now()), [text]);
  const list = useMemo(() => new TaskList(search), [search]);
  const live = useLive('/admin/tasks', taskPageSchema, liveQuery(search));
  const page = live.data.value;
  useEffect(() => {
    if (page) list.takeNewest(page);
  }, [page, list]);
  const typed = useTyped(text);
  const bar = (
    <>
      <Search
        label="Search tasks"
        placeholder="An id, or agent:pizza state:failed tenant:acme since:1h"
        value={typed.text}
        onInput={typed.onInput}
      />
      <ViewsBar text={text} onSelect={(view) => setQuery({ q: view }, { replaces: false })} />
    </>
  );
  return (
    <Page title="Tasks" about={countText(list.totalSize.value, page?.isPartial)} isLost={live.isLost} bar={bar} isFull>
      <Problems texts={[problem, live.problem.value, list.problem.value]} />
      <Rows list={list} text={text} />
    </Page>
  );
}

function countText(totalSize: number | undefined, isPartial = false): string {
  if (totalSize === undefined) return '';
  return `${isPartial ? 'at least ' : ''}${totalSize.toLocaleString()}`;
}

function Problems({ texts }: { readonly texts: readonly (string | undefined)[] }) {
  const [first] = texts.filter((text) => text !== undefined);
  return first === undefined ? null : (
    <div class="task-problem">
      <Problem text={first} />
    </div>
  );
}

function Rows({ list, text }: { readonly list: TaskList; readonly text: string }) {
  const isNarrow = useMedia('(max-width: 720px)');
  const selected = useSelection(list);
  const rows = list.rows.value;
  if (list.totalSize.value === undefined) return <Loading />;
  if (rows.length === 0) return <NoTasks isSearch={text !== ''} />;
  return (
    <>
      <TaskHead />
      <VirtualList
        label="Tasks"
        rows={rows}
        rowHeight={isNarrow.value ? 60 : 36}
        shownIndex={selected.value}
        renderRow={(row, index) => <TaskLine row={row} isSelected={index === selected.value} />}
        onNearEnd={() => void list.more()}
      />
    </>
  );
}

function NoTasks({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) return <Empty icon="search" title="No task matches" />;
  return (
    <Empty icon="tasks" title="No tasks yet">
      Send a message to an agent: the page <a href="/console/agents">Agents</a> can.
    </Empty>
  );
}

/** The typed text, before the search starts. */
function useTyped(text: string) {
  const draft = useSignal<string | undefined>(undefined);
  useEffect(() => {
    draft.value = undefined;
  }, [text]);
  useEffect(() => {
    const { value } = draft;
    if (value === undefined) return;
    const timer = setTimeout(() => setQuery({ q: value.trim() }), pauseMs);
    return () => clearTimeout(timer);
  }, [draft.value]);
  return {
    text: draft.value ?? text,
    onInput: (value: string) => {
      draft.value = value;
    },
  };
}
