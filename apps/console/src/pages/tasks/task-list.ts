import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Query, TaskPage, TaskRow, TaskSearch } from '@switchyard/operator-api';

const livePageSize = 100;
const nextPageSize = 200;
/** Rows in the memory of the browser. The oldest give way to new ones, and can be searched. */
const MAX_ROWS = 12_000;

type ReadPage = (page: Query) => Promise<TaskPage>;

/** Size of the live page; the other pages are read once. */
export function liveQuery(search: TaskSearch) {
  return { ...search, pageSize: livePageSize, contents: true };
}

/** The tasks of a search: the newest are live, the rest is loaded while scrolling. */
export class TaskList {
  readonly #readPage: ReadPage;
  readonly #sort: TaskSearch['sort'];
  readonly #rows = signal<readonly TaskRow[]>([]);
  readonly #problem = signal<unknown>(undefined);
  readonly #totalSize = signal<number | undefined>(undefined);
  readonly #isCut = signal(false);
  #nextToken: string | undefined;
  #isAsking = false;

  /** @param readPage of the search @param sort unset: the latest first */
  constructor(readPage: ReadPage, sort?: TaskSearch['sort']) {
    this.#readPage = readPage;
    this.#sort = sort;
  }

  get rows(): ReadonlySignal<readonly TaskRow[]> {
    return this.#rows;
  }

  /** The error of loading more. */
  get problem(): ReadonlySignal<unknown> {
    return this.#problem;
  }

  /** Undefined until the first answer. */
  get totalSize(): ReadonlySignal<number | undefined> {
    return this.#totalSize;
  }

  /** There are older ones, which are not kept here. */
  get isCut(): ReadonlySignal<boolean> {
    return this.#isCut;
  }

  /** Updates the newest ones. If more came than a page has, the known ones are loaded again, without a gap. */
  takeNewest({ tasks, totalSize, nextPageToken }: TaskPage): void {
    // A task moves in the order of costs: what was loaded beyond the first page stays as it was.
    if (this.#sort === 'cost' && this.#rows.value.length > tasks.length) return;
    const isWhole = nextPageToken === '' || this.#sort === 'cost' || hasGap(tasks, this.#rows.value);
    this.#nextToken = isWhole ? nextPageToken : (this.#nextToken ?? nextPageToken);
    batch(() => {
      if (isWhole) this.#isCut.value = false;
      this.#keep(isWhole ? tasks : withNewest(this.#rows.value, tasks));
      this.#totalSize.value = totalSize;
    });
  }

  /** Beyond the cut nothing is loaded: it would leave a gap. */
  #keep(rows: readonly TaskRow[]): void {
    this.#rows.value = rows.slice(0, MAX_ROWS);
    if (rows.length > MAX_ROWS || (rows.length === MAX_ROWS && this.#nextToken)) this.#isCut.value = true;
  }

  /** Loads more, unless it is already loading or there is no more. */
  async more(): Promise<void> {
    if (this.#isAsking || this.#isCut.value || !this.#nextToken) return;
    this.#isAsking = true;
    const pageToken = this.#nextToken;
    try {
      const { tasks, nextPageToken } = await this.#readPage({ pageSize: nextPageSize, pageToken });
      // Meanwhile the list began anew: these do not follow on its rows.
      if (this.#nextToken !== pageToken) return;
      this.#nextToken = nextPageToken;
      const known = new Set(this.#rows.value.map(({ taskId }) => taskId));
      this.#keep([...this.#rows.value, ...tasks.filter(({ taskId }) => !known.has(taskId))]);
    } catch (error) {
      this.#problem.value = error;
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
