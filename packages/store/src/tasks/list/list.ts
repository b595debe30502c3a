import type { TaskState } from '@switchyard/protocol';
import { defineScript, integer, text, tupleAnd } from '@switchyard/redis';
import type { TaskArchive } from '../../archive/task-archive.ts';
import { idText, type ShardKeys } from '../../deployment/keys.ts';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import { type CachedReadDependencies, readTogether } from '../read/read.ts';
import type { TaskReading, TaskView } from '../read/task-reading.ts';
import { hiddenLetter, stateLetters, withdrawnLetter } from '../visibility/state-letters.ts';
import { decodePageToken, encodePageToken } from './page.ts';

const listScript = defineScript({
  file: 'list.lua',
  from: import.meta.url,
  keys: ['index', 'tasksRoot'],
  args: ['states', 'since', 'kept', 'size', 'token', 'owner', 'context'],
  reply: tupleAnd([integer], text),
});

export interface TaskQuery extends Omit<TaskView, 'version'> {
  readonly contextId?: string | undefined;
  readonly state?: TaskState | undefined;
  /** Lists tasks that were answered with a plain message, too. */
  readonly includeWithdrawn?: boolean;
  /** ISO timestamp, inclusive. */
  readonly statusTimestampAfter?: string | undefined;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export interface TaskPage {
  /** JSON of each task, latest status first. Fewer than the page size if they are large: see `maxPageBytes`. */
  readonly tasks: readonly string[];
  /** Number of each task's last event. */
  readonly seqs: readonly number[];
  /** Of all pages together, exactly. */
  readonly totalSize: number;
  /** '' after the last page. */
  readonly nextPageToken: string;
}

export interface ListDependencies extends CachedReadDependencies {
  readonly settings: { readonly largeTextBytes: number; readonly retentionMs: number; readonly maxPageBytes: number };
}

export interface FoundTasks {
  readonly total: number;
  /** Sort keys, time of the status and id, the latest first. More than a page if there is a next page. */
  readonly sortKeys: readonly string[];
}

const TIME_LENGTH = 8;
const shownLetters = Object.values(stateLetters).sort().join('');
const allLetters = [...shownLetters, hiddenLetter, withdrawnLetter].sort().join('');

/**
 * Reads one page of the tasks of all these stores: each task is in one of them. Its order and token do not depend on how
 * many they are. @throws {InvalidPageToken}
 */
export async function listTasks(
  stores: readonly ListDependencies[],
  scope: Scope,
  query: TaskQuery,
): Promise<TaskPage> {
  const found = await Promise.all(stores.map((store) => findTasks(store, scope, query)));
  const sortKeys = found.flatMap((each, at) => each.sortKeys.map((sortKey) => ({ sortKey, at })));
  if (stores.length > 1) sortKeys.sort((a, b) => (a.sortKey < b.sortKey ? 1 : -1));
  const tasks = await readPage(stores, scope, { sortKeys: sortKeys.slice(0, query.pageSize), view: query });
  const last = tasks.length < sortKeys.length ? sortKeys[tasks.length - 1]?.sortKey : undefined;
  // Tasks that expired between the two reads are left out.
  const shown = tasks.flatMap((reading) => (reading?.task ? { seq: reading.seq, json: reading.task.toString() } : []));
  return {
    tasks: shown.map(({ json }) => json),
    seqs: shown.map(({ seq }) => seq),
    totalSize: found.reduce((sum, { total }) => sum + total, 0),
    nextPageToken: last !== undefined ? encodePageToken(last, filtersOf(scope, query)) : '',
  };
}

interface ListedTasks {
  /** `at`: which of the stores has it. */
  readonly sortKeys: readonly { readonly sortKey: string; readonly at: number }[];
  readonly view: TaskView;
}

/** The tasks of these sort keys, up to the first for which its store has no room (`maxPageBytes`). */
async function readPage(
  stores: readonly ListDependencies[],
  scope: Scope,
  { sortKeys, view }: ListedTasks,
): Promise<(TaskReading | undefined)[]> {
  const read = await Promise.all(
    stores.map((store, n) => {
      const taskIds = sortKeys.filter(({ at }) => at === n).map(({ sortKey }) => taskIdOf(sortKey));
      return taskIds.length > 0 || stores.length === 1 ? readTogether(store, scope, { taskIds, view }) : [];
    }),
  );
  const rest = read.map((tasks) => tasks[Symbol.iterator]());
  const tasks: (TaskReading | undefined)[] = [];
  for (const { at } of sortKeys) {
    const next = rest[at]?.next();
    if (!next || next.done) break;
    tasks.push(next.value);
  }
  return tasks;
}

/**
 * Searches the indexes of all shards, and the archive. A context is on one shard. Redis lists the ended tasks of the
 * retention, and the archive those before it, so that each task is in one of both. @throws {InvalidPageToken}
 */
export async function findTasks(dependencies: ListDependencies, scope: Scope, query: TaskQuery): Promise<FoundTasks> {
  const { contextId } = query;
  const shards = contextId === undefined ? dependencies.shards.all : [dependencies.shards.of(contextId)];
  const range = rangeOf(dependencies, scope, query);
  const [archived, ...replies] = await Promise.all([
    findInArchive(dependencies, scope, query, range),
    ...shards.map((keys) => findInShard(dependencies, keys, { scope, query, range })),
  ]);
  return {
    total: replies.reduce((sum, [total]) => sum + total, archived.total),
    sortKeys: [...replies.flatMap(([, ...found]) => found), ...archived.sortKeys].sort().reverse(),
  };
}

interface Range {
  readonly states: string;
  readonly since: string;
  /** Earliest time of an ended task that Redis lists. */
  readonly kept: string;
  readonly token: string;
}

function rangeOf({ settings, archive }: ListDependencies, scope: Scope, query: TaskQuery): Range {
  const { state, includeWithdrawn, statusTimestampAfter, pageToken } = query;
  return {
    states: state ? stateLetters[state] : includeWithdrawn ? allLetters : shownLetters,
    since: statusTimestampAfter ? sortableTime(statusTimestampAfter) : '',
    kept: keptSince(settings.retentionMs, archive),
    token: decodePageToken(pageToken, filtersOf(scope, query)) ?? '',
  };
}

interface ShardSearch {
  readonly scope: Scope;
  readonly query: TaskQuery;
  readonly range: Range;
}

function findInShard(
  { redis }: ListDependencies,
  keys: ShardKeys,
  { scope, query: { contextId, pageSize }, range }: ShardSearch,
): Promise<[total: number, ...sortKeys: string[]]> {
  return listScript.run(redis, {
    keys: { index: keys.index(scope, contextId), tasksRoot: keys.tasks },
    args: {
      ...range,
      size: pageSize,
      owner: ownerOf(scope),
      context: contextId === undefined ? '' : idText(contextId),
    },
  });
}

async function findInArchive(
  { archive }: ListDependencies,
  scope: Scope,
  { contextId, pageSize }: TaskQuery,
  { states, since, kept, token }: Range,
): Promise<FoundTasks> {
  const letters = endedIn(states);
  if (!archive || letters === '') return { total: 0, sortKeys: [] };
  const context = contextId === undefined ? undefined : idText(contextId);
  const range = { since, upto: '', before: kept, token, size: pageSize };
  return archive.find({ owner: ownerOf(scope), context, letters, by: 'time', ...range });
}

const CLOCKS_DIFFER_MS = 60_000;

/** The letters of ended states: capitals. */
export const endedIn = (letters: string): string => letters.replaceAll(/[a-z]/g, '');

/**
 * The time from which on Redis lists ended tasks, by the clock of this process. The archive has those before it: with
 * one, Redis forgets none of its list soon, whatever the time is by its clock.
 */
export function keptSince(retentionMs: number, archive?: TaskArchive): string {
  const margin = archive ? Math.min(CLOCKS_DIFFER_MS, retentionMs / 10) : 0;
  return sortableTime(new Date(Date.now() - retentionMs + margin).toISOString());
}

/** The latest time in an index, in the year 2059. */
const LATEST_MS = 36 ** TIME_LENGTH - 1;

/** An ISO timestamp as in an index: its milliseconds as eight base-36 digits, which sort like the time. */
export function sortableTime(timestamp: string): string {
  const ms = Math.min(Math.max(0, Date.parse(timestamp)), LATEST_MS);
  return ms.toString(36).padStart(TIME_LENGTH, '0');
}

export function taskIdOf(sortKey: string): string {
  return sortKey.slice(TIME_LENGTH);
}

/** The filters, which must not change from page to page. */
function filtersOf(scope: Scope, { contextId, state, statusTimestampAfter }: TaskQuery): readonly unknown[] {
  return ['tasks', ownerOf(scope), contextId, state, statusTimestampAfter];
}
