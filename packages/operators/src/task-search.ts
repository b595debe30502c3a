import type { TaskState } from '@switchyard/protocol';
import { defineScript, integer, text, tupleAnd } from '@switchyard/redis';
import { type ArchivePage, type ArchiveQuery, ArchiveTooSlow, principalKey } from '@switchyard/store';
import {
  cardUrlOf,
  decodePageToken,
  encodePageToken,
  endedIn,
  findTasks,
  hiddenLetter,
  idText,
  keptSince,
  queueName,
  REMOTE_AGENTS,
  type ShardKeys,
  sortableTime,
  stateLetters,
  taskIdOf,
  timeOf,
  withdrawnLetter,
} from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { stuckPlaces } from './stuck-search.ts';
import { readRows, type TaskRow } from './task-rows.ts';

const searchTasksScript = defineScript({
  file: 'search-tasks.lua',
  from: import.meta.url,
  keys: ['indexes*'],
  args: ['states', 'since', 'upto', 'kept', 'size', 'token'],
  reply: tupleAnd([integer], text),
});

/** Tasks must match all fields that are set. */
export interface TaskFilter {
  readonly id?: string | undefined;
  readonly contextId?: string | undefined;
  /** `@remote`: all agents that are called by the URL of their card. */
  readonly agent?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  readonly tenant?: string | undefined;
  readonly subject?: string | undefined;
  /** Limits of `FoundTask.at`: ISO times, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only tasks that have work to do which nobody does. */
  readonly stuck?: boolean | undefined;
  /**
   * `cost`: the dearest first; those that cost the same, latest first. No index has the costs, so that no task pays for
   * one: they are read one by one. Default: latest first.
   */
  readonly sort?: 'cost' | undefined;
  /** Part of the kind or the message of `TaskRow.reason`, in upper or lower case. */
  readonly reason?: string | undefined;
  /**
   * Words in messages and artifacts. Only the archive finds them, so only tasks that are copied there.
   * `totalSize` is at most 10,000 then.
   */
  readonly text?: string | undefined;
}

export interface TaskSearch extends TaskFilter {
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
  /** Whether rows have the beginning of the first message. */
  readonly hasText: boolean;
}

export interface FoundTask extends TaskRow {
  /** The time by which it is sorted: when it last got work, stopped to wait for its client, or ended. ISO time. */
  readonly at: string;
}

export interface TaskSearchPage {
  readonly tasks: readonly FoundTask[];
  /** Of all pages together; exact, unless `isPartial`. */
  readonly totalSize: number;
  /** '' after the last page. */
  readonly nextPageToken: string;
  /** The filter had to check tasks one by one, and stopped after 10,000: there may be others. */
  readonly isPartial: boolean;
}

/** Indexes in which the script searches. */
interface Source {
  readonly indexesOf: (keys: ShardKeys) => string[];
  /** Letters of the states, as in these indexes. */
  readonly letters: string;
  /** Whether every task with these letters matches the filter. */
  readonly isExact: boolean;
  /** The same tasks in the archive; unset: only tasks that have not ended are searched. */
  readonly archived?: Pick<ArchiveQuery, 'by' | 'agents' | 'ownerPrefix' | 'context' | 'id' | 'text'>;
}

type Walked = Pick<FoundTasks, 'sortKeys' | 'isPartial'>;

/** The sort key of a task: its cost if that is the order, a time as in an index, and the task's id. */
interface FoundTasks {
  readonly sortKeys: readonly string[];
  readonly total: number;
  readonly isPartial: boolean;
}

const ID_LENGTH = 36;
/** A cost in a sort key has this many digits; a task may cost a billion dollars. */
const COST_LENGTH = 15;
/** Tasks that are checked one by one, at most, and in one step. */
const MAX_WALKED = 10_000;
const STEP = 500;

/** A search for a text that cannot be made: why, for the person who typed it. */
export class TextSearchRefused extends Error {
  override readonly name = 'TextSearchRefused';
}

/** Tasks of all principals and agents. @throws {InvalidPageToken} @throws {TextSearchRefused} */
export async function searchTasks(dependencies: OperatorDependencies, search: TaskSearch): Promise<TaskSearchPage> {
  const after = decodePageToken(search.pageToken, filtersOf(search)) ?? '';
  const { sortKeys, total, isPartial } = await find(dependencies, search, after);
  const page = sortKeys.slice(0, search.pageSize);
  const timeAt = search.sort === 'cost' ? COST_LENGTH : 0;
  const ids = page.map((sortKey) => taskIdOf(sortKey.slice(timeAt)));
  const rows = await readRows(dependencies, ids, search);
  return {
    // Tasks that expired between the two reads are left out.
    tasks: page.flatMap((sortKey, i) => (rows[i] ? { ...rows[i], at: timeOf(sortKey.slice(timeAt, -ID_LENGTH)) } : [])),
    totalSize: total,
    nextPageToken: sortKeys.length > page.length ? encodePageToken(page.at(-1) ?? '', filtersOf(search)) : '',
    isPartial,
  };
}

async function find(dependencies: OperatorDependencies, search: TaskSearch, after: string): Promise<FoundTasks> {
  if (search.text !== undefined) return findText(dependencies, search, after);
  if (search.stuck) return findStuck(dependencies, search, after);
  const few = await keysOfFew(dependencies, search);
  if (few) return chosen(dependencies, search, { after, sortKeys: few, isPartial: false });
  return findIn(dependencies, search, { source: await sourceOf(dependencies, search), after });
}

async function findIn(
  dependencies: OperatorDependencies,
  search: TaskSearch,
  { source, after }: { readonly source: Source; readonly after: string },
): Promise<FoundTasks> {
  if (source.isExact && search.sort === undefined)
    return readFoundPage(dependencies, search, { source, after, size: search.pageSize });
  return chosen(dependencies, search, { after, ...(await walk(dependencies, search, source)) });
}

/** Words are only in the archive, which has tasks that Redis has, too. */
async function findText(dependencies: OperatorDependencies, search: TaskSearch, after: string): Promise<FoundTasks> {
  if (!dependencies.archive)
    throw new TextSearchRefused('needs an archive, which has the words of ended tasks: ARCHIVE_URL is not set');
  const { archived, ...source } = await sourceOf(dependencies, search);
  if (search.stuck || !archived) return { sortKeys: [], total: 0, isPartial: false };
  const { id, text } = search;
  const words = { ...source, indexesOf: () => [], archived: { ...archived, id, text } };
  try {
    return await findIn(dependencies, search, { source: words, after });
  } catch (error) {
    if (!(error instanceof ArchiveTooSlow)) throw error;
    const narrower = 'add agent, tenant, since, or a word that fewer tasks have';
    throw new TextSearchRefused(`is in too many tasks to be found in time: ${narrower}`, { cause: error });
  }
}

/** The sort keys of a source, the latest 10,000. */
async function walk(dependencies: OperatorDependencies, filter: TaskFilter, source: Source): Promise<Walked> {
  const first = await readFoundPage(dependencies, filter, { source, after: '', size: STEP });
  const walked = [...first.sortKeys];
  const hasMore = (): boolean => walked.length < first.total || first.isPartial;
  while (hasMore() && walked.length < MAX_WALKED) {
    const next = await readFoundPage(dependencies, filter, { source, after: walked.at(-1) ?? '', size: STEP });
    if (next.sortKeys.length === 0) return { sortKeys: walked, isPartial: false };
    walked.push(...next.sortKeys);
  }
  return { sortKeys: walked, isPartial: hasMore() };
}

/** The open tasks of agents that nobody runs, and the tasks of silent workers. */
async function findStuck(
  dependencies: OperatorDependencies,
  { stuck: _, ...filter }: TaskSearch,
  after: string,
): Promise<FoundTasks> {
  const { agents, frozen, running } = await stuckPlaces(dependencies);
  const indexesOf = (keys: ShardKeys): string[] => agents.map((each) => keys.agentIndex(queueName(each)));
  const source = { indexesOf, letters: OPEN, isExact: false };
  const [waiting, rows] = await Promise.all([
    agents.length > 0 ? walk(dependencies, filter, source) : { sortKeys: [], isPartial: false },
    readRows(dependencies, frozen, { hasText: false }),
  ]);
  const sortKeys = new Map(waiting.sortKeys.map((sortKey) => [taskIdOf(sortKey), sortKey]));
  for (const row of rows) if (row) sortKeys.set(row.taskId, sortKeys.get(row.taskId) ?? keyOf(row));
  const idle = [...sortKeys].filter(([id]) => !running.has(id)).map(([, sortKey]) => sortKey);
  return chosen(dependencies, filter, {
    after,
    sortKeys: latestKeysFirst(idle),
    isPartial: waiting.isPartial,
    isDue: true,
  });
}

const keyOf = ({ updatedAt, taskId }: TaskRow): string => sortableTime(updatedAt) + taskId;

/**
 * One page of a source, and one sort key more if there is a next page. Redis lists the ended tasks of the retention, and the
 * archive those before it.
 */
async function readFoundPage(
  { redis, shards, settings, archive }: OperatorDependencies,
  { contextId, since, until }: TaskFilter,
  { source, after, size }: { source: Source; after: string; size: number },
): Promise<FoundTasks> {
  const isText = source.archived?.text !== undefined;
  // A context is on one shard.
  const inRedis = contextId === undefined ? shards.all : [shards.of(contextId)];
  const searched = isText ? [] : inRedis;
  const range = {
    since: since ? sortableTime(since) : '',
    upto: until ? sortableTime(until) : '',
    size,
    token: after,
  };
  const kept = keptSince(settings.retentionMs, archive);
  const letters = archivedLetters(source);
  const [archived, ...replies] = await Promise.all([
    archive && letters && source.archived
      ? archive.find({ ...source.archived, ...range, letters, before: isText ? '' : kept })
      : noTasks,
    ...searched.map((keys) =>
      searchTasksScript.run(redis, {
        keys: { indexes: source.indexesOf(keys) },
        args: { ...range, states: source.letters, kept },
      }),
    ),
  ]);
  const found = [...archived.sortKeys, ...replies.flatMap(([, ...sortKeys]) => sortKeys)];
  return {
    sortKeys: latestKeysFirst(found).slice(0, size + 1),
    total: replies.reduce((sum, [total]) => sum + total, archived.total),
    isPartial: archived.isPartial ?? false,
  };
}

const noTasks: ArchivePage = { total: 0, sortKeys: [] };

/** The index of an agent has withdrawn tasks as completed ones. */
function archivedLetters({ letters, archived }: Source): string {
  const isOfAgent = archived?.by === 'endedAt' && letters.includes(stateLetters.TASK_STATE_COMPLETED);
  return endedIn(letters) + (isOfAgent ? withdrawnLetter : '');
}

interface Candidates extends Walked {
  readonly after: string;
  /** Without tasks that wait for their time. */
  readonly isDue?: boolean;
}

/** The sort keys of the tasks that match the filter, in its order. */
async function chosen(
  dependencies: OperatorDependencies,
  filter: TaskFilter,
  { after, sortKeys, isPartial, isDue = false }: Candidates,
): Promise<FoundTasks> {
  const matching: string[] = [];
  for (let from = 0; from < sortKeys.length; from += STEP) {
    const some = sortKeys.slice(from, from + STEP);
    const rows = await readRows(dependencies, some.map(taskIdOf), { hasText: false });
    const isKept = (row: TaskRow): boolean => !(isDue && isForLater(row));
    for (const [i, sortKey] of some.entries()) {
      const row = rows[i];
      if (row && isKept(row) && matches(filter, row, sortKey)) matching.push(costKeyOf(filter, row) + sortKey);
    }
  }
  if (filter.sort === 'cost') latestKeysFirst(matching);
  return {
    sortKeys: after ? matching.filter((sortKey) => sortKey < after) : matching,
    total: matching.length,
    isPartial,
  };
}

const costKeyOf = ({ sort }: TaskFilter, { microUsd = 0 }: TaskRow): string =>
  sort === 'cost' ? String(microUsd).padStart(COST_LENGTH, '0') : '';

function isForLater({ scheduledFor }: TaskRow): boolean {
  return scheduledFor !== undefined && Date.parse(scheduledFor) > Date.now();
}

function matches(filter: TaskFilter, row: TaskRow, sortKey: string): boolean {
  const { agent, states, tenant, subject, contextId, since, until, reason } = filter;
  const isOfAgent = agent === REMOTE_AGENTS ? cardUrlOf(row.agent) !== undefined : row.agent === (agent ?? row.agent);
  const at = sortKey.slice(0, -ID_LENGTH);
  return (
    isOfAgent &&
    (states ?? [row.state]).includes(row.state) &&
    row.tenant === (tenant ?? row.tenant) &&
    row.subject === (subject ?? row.subject) &&
    row.contextId === (contextId ?? row.contextId) &&
    hasReason(row, reason) &&
    at >= (since ? sortableTime(since) : '') &&
    at <= (until ? sortableTime(until) : '~')
  );
}

function hasReason({ reason }: TaskRow, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  return reason !== undefined && `${reason.kind} ${reason.message}`.toLowerCase().includes(wanted.toLowerCase());
}

/** All candidates, where they are few: one task, or those of a context whose owner is known. */
async function keysOfFew(
  dependencies: OperatorDependencies,
  { id, contextId }: TaskFilter,
): Promise<string[] | undefined> {
  const named = id ?? contextId;
  if (named === undefined) return undefined;
  const [row] = await readRows(dependencies, [named], { hasText: false });
  if (id !== undefined) return row ? [keyOf(row)] : [];
  // A context has the id of its first task, unless its client named it.
  return row && row.contextId === named ? keysOfContext(dependencies, row, named) : undefined;
}

async function keysOfContext(
  dependencies: OperatorDependencies,
  { tenant, subject, agent }: TaskRow,
  contextId: string,
): Promise<string[]> {
  const principal = { tenant, subject, scopes: [] };
  const query = { contextId, pageSize: MAX_WALKED, includeWithdrawn: true };
  const agents = new Set([...(await dependencies.registry.ids()), agent]);
  const found = await Promise.all(
    Array.from(agents, (each) => findTasks(dependencies, { principal, agent: each }, query)),
  );
  return latestKeysFirst(found.flatMap(({ sortKeys }) => sortKeys));
}

async function sourceOf(
  dependencies: OperatorDependencies,
  { contextId, agent, states, tenant, subject, reason }: TaskFilter,
): Promise<Source> {
  const agents = agent === undefined ? [...(await dependencies.registry.ids()), REMOTE_AGENTS] : [queueName(agent)];
  const inContext = contextId !== undefined && { context: idText(contextId) };
  const isOfRemote = agents.includes(REMOTE_AGENTS) && (await dependencies.queue.isUsed(REMOTE_AGENTS));
  if (tenant !== undefined && subject !== undefined && !isOfRemote) {
    const principal = { tenant, subject, scopes: [] };
    return {
      indexesOf: (keys) => agents.map((each) => keys.index({ principal, agent: each })),
      letters: lettersOf(states, ownLetters),
      isExact: contextId === undefined && reason === undefined,
      archived: {
        by: 'time',
        ownerPrefix: `${principalKey(principal)}/`,
        ...(agent !== undefined && { agents }),
        ...inContext,
      },
    };
  }
  const letters = lettersOf(states, agentLetters);
  const isOneOfOpen = letters.includes(OPEN) && states !== undefined && !open.every((state) => states.includes(state));
  return {
    indexesOf: (keys) => agents.map((each) => keys.agentIndex(each)),
    letters,
    isExact:
      [contextId, tenant, subject, reason].every((each) => each === undefined) &&
      !isOneOfOpen &&
      agents.every((each) => each === (agent ?? each)),
    archived: {
      by: 'endedAt',
      ...(tenant !== undefined && { ownerPrefix: `${encodeURIComponent(tenant)}/` }),
      ...(agent !== undefined && { agents }),
      ...inContext,
    },
  };
}

/** The letters of agent-index.lua: all open states share one. */
const OPEN = 'o';
const open: readonly TaskState[] = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];
const agentLetters = (state: TaskState): string => (open.includes(state) ? OPEN : stateLetters[state]);
function ownLetters(state: TaskState): string {
  if (state === 'TASK_STATE_SUBMITTED') return stateLetters[state] + hiddenLetter;
  return state === 'TASK_STATE_COMPLETED' ? stateLetters[state] + withdrawnLetter : stateLetters[state];
}

const everyState = Object.keys(stateLetters) as TaskState[];

function lettersOf(states: readonly TaskState[] = everyState, lettersOfState: (state: TaskState) => string): string {
  return [...new Set(states.map(lettersOfState).join(''))].join('');
}

/** In place. */
const latestKeysFirst = (sortKeys: string[]): string[] => sortKeys.sort().reverse();

/** The filters, which must not change from page to page. */
function filtersOf(filter: TaskFilter): readonly unknown[] {
  const { id, contextId, agent, states, tenant, subject, since, until, stuck, reason, sort, text } = filter;
  return ['search', id, contextId, agent, states, tenant, subject, since, until, stuck, reason, sort, text];
}
