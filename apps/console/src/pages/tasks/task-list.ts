import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type TaskPage, type TaskRow, taskPageSchema } from '@switchyard/operator-api';
import { call, problemText } from '../../app/api.ts';
import type { TaskSearch } from './search-text.ts';

const livePageSize = 100;
const nextPageSize = 200;

/** Size of the live page; the other pages are read once. */
export function liveQuery(search: TaskSearch) {
  return { ...search, pageSize: livePageSize, contents: true };
}

/** The tasks of a search: the newest are live, the rest is loaded while scrolling. */
export class TaskList {
  readonly #search: TaskSearch;
  readonly #rows = signal<readonly TaskRow[]>([]);
  readonly #problem = signal<string | undefined>(undefined);
  readonly #totalSize = signal<number | undefined>(undefined);
  #nextToken: string | undefined;
  #isAsking = false;

  constructor(search: TaskSearch) {
    this.#search = search;
  }

  get rows(): ReadonlySignal<readonly TaskRow[]> {
    return this.#rows;
  }

  get problem(): ReadonlySignal<string | undefined> {
    return this.#problem;
  }

  /** Undefined until the first answer. */
  get totalSize(): ReadonlySignal<number | undefined> {
    return this.#totalSize;
  }

  /** Updates the newest ones. If more came than a page has, the known ones are loaded again, without a gap. */
  takeNewest({ tasks, totalSize, nextPageToken }: TaskPage): void {
    const isWhole = nextPageToken === '' || hasGap(tasks, this.#rows.value);
    this.#nextToken = isWhole ? nextPageToken : (this.#nextToken ?? nextPageToken);
    batch(() => {
      this.#rows.value = isWhole ? tasks : withNewest(this.#rows.value, tasks);
      this.#totalSize.value = totalSize;
    });
  }

  /** Loads more, unless it is already loading or there is no more. */
  async more(): Promise<void> {
    if (this.#isAsking || !this.#nextToken) return;
    this.#isAsking = true;
    const pageToken = this.#nextToken;
    try {
      const query = { ...this.#search, pageSize: nextPageSize, pageToken, contents: true };
      const { tasks, nextPageToken } = await call('/admin/tasks', taskPageSchema, { query });
      // Meanwhile the list began anew: these do not follow on its rows.
      if (this.#nextToken !== pageToken) return;
      this.#nextToken = nextPageToken;
      const known = new Set(this.#rows.value.map(({ taskId }) => taskId));
      this.#rows.value = [...this.#rows.value, ...tasks.filter(({ taskId }) => !known.has(taskId))];
    } catch (error) {
      this.#problem.value = problemText(error);
    } finally {
      this.#isAsking = false;
    }
  }
}

/** Whether there may be tasks between the newest and the known ones. */
function hasGap(newest: readonly TaskRow[], [latest]: readonly TaskRow[]): boolean {
  return latest !== undefined && latest.at < (newest.at(-1)?.at ?? '');
}

/** The newest ones, then the known ones that are older than all of these. */
function withNewest(known: readonly TaskRow[], newest: readonly TaskRow[]): readonly TaskRow[] {
  const oldest = newest.at(-1)?.at ?? '';
  const ids = new Set(newest.map(({ taskId }) => taskId));
  return [...newest, ...known.filter(({ taskId, at }) => at <= oldest && !ids.has(taskId))];
}
