import type { TaskState } from '@switchyard/protocol';
import { idText, type ShardKeys } from '../../redis/keys.ts';
import { integer, text, tupleAnd } from '../../redis/reply.ts';
import { ownerOf, type Scope } from '../../redis/scope.ts';
import { defineScript } from '../../redis/script.ts';
import { type CachedReadDependencies, readTogether } from '../read/read.ts';
import type { TaskView } from '../read/task-reading.ts';
import { hiddenLetter, stateLetters, withdrawnLetter } from '../visibility/state-letters.ts';
import { decodePageToken, encodePageToken } from './page-token.ts';

const listScript = defineScript({
  file: 'list.lua',
  from: import.meta.url,
  keys: ['index', 'tasksRoot'],
  args: ['states', 'since', 'retentionMs', 'size', 'token', 'owner', 'context'],
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

/**
 * The total, and the entries of the first tasks: their sort keys, time of the status and id, the latest first. One more
 * than a page if there is a next page.
 */
type FoundEntries = [total: number, ...entries: string[]];
const TIME_LENGTH = 8;
const allLetters = [...Object.values(stateLetters), hiddenLetter, withdrawnLetter].sort().join('');

/** Reads one page. A context is on one shard; other lists merge all shards. @throws {InvalidPageToken} */
export async function listTasks(dependencies: ListDependencies, scope: Scope, query: TaskQuery): Promise<TaskPage> {
  const { contextId, pageSize } = query;
  const shards = contextId === undefined ? dependencies.shards.all : [dependencies.shards.of(contextId)];
  const replies = await Promise.all(shards.map((keys) => findEntries(dependencies, keys, scope, query)));
  const entries = replies
    .flatMap(([, ...found]) => found)
    .sort()
    .reverse();
  const taskIds = entries.slice(0, pageSize).map(taskIdOf);
  const tasks = await readTogether(dependencies, scope, { taskIds, view: query });
  const last = tasks.length < entries.length ? entries[tasks.length - 1] : undefined;
  // Tasks that expired between the two reads are left out.
  const found = tasks.flatMap((reading) => (reading?.task ? { seq: reading.seq, json: reading.task.toString() } : []));
  return {
    tasks: found.map(({ json }) => json),
    seqs: found.map(({ seq }) => seq),
    totalSize: replies.reduce((sum, [total]) => sum + total, 0),
    nextPageToken: last !== undefined ? encodePageToken(last, filtersOf(scope, query)) : '',
  };
}

/** Reads the index of one shard. @throws {InvalidPageToken} */
export async function findEntries(
  dependencies: ListDependencies,
  keys: ShardKeys,
  scope: Scope,
  query: TaskQuery,
): Promise<FoundEntries> {
  const { contextId, state, statusTimestampAfter, pageSize, pageToken } = query;
  return listScript.run(dependencies.redis, {
    keys: { index: keys.index(scope, contextId), tasksRoot: keys.tasks },
    args: {
      states: state ? stateLetters[state] : query.includeWithdrawn ? allLetters : '',
      since: statusTimestampAfter ? sortableTime(statusTimestampAfter) : '',
      retentionMs: dependencies.settings.retentionMs,
      size: pageSize,
      token: decodePageToken(pageToken, filtersOf(scope, query)) ?? '',
      owner: ownerOf(scope),
      context: contextId === undefined ? '' : idText(contextId),
    },
  });
}

/** The latest time in an index, in the year 2059. */
const LATEST_MS = 36 ** TIME_LENGTH - 1;

/** An ISO timestamp as in an index: its milliseconds as eight base-36 digits, which sort like the time. */
export function sortableTime(timestamp: string): string {
  const ms = Math.min(Math.max(0, Date.parse(timestamp)), LATEST_MS);
  return ms.toString(36).padStart(TIME_LENGTH, '0');
}

export function taskIdOf(entry: string): string {
  return entry.slice(TIME_LENGTH);
}

/** The filters, which must not change from page to page. */
function filtersOf(scope: Scope, { contextId, state, statusTimestampAfter }: TaskQuery): readonly unknown[] {
  return ['tasks', ownerOf(scope), contextId, state, statusTimestampAfter];
}
