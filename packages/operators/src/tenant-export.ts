import type { Scope, TaskArchive } from '@switchyard/store';
import {
  decodePageToken,
  encodePageToken,
  keptSince,
  readTogether,
  type ShardKeys,
  scopeOf,
  sortableTime,
  taskIdOf,
  timeOf,
  withdrawnLetter,
} from '@switchyard/store/inside';
import { readCursor } from './archive-cursor.ts';
import { ENDED_LETTERS } from './archiver.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { ownedKeys } from './owned-keys.ts';

export interface TenantExportQuery {
  readonly tenant: string;
  /** Unset: all principals of the tenant. */
  readonly subject?: string | undefined;
  /** Limits of the end of a task, or of the status of one that has not ended. ISO times, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Of an export with the same query. */
  readonly pageToken?: string | undefined;
}

export interface ExportProgress {
  /** About so many tasks will be exported. */
  readonly total: number;
  readonly done: number;
  /** JSON of an object for each task: `tenant`, `subject`, `agent`, `endedAt` if it has ended, and the `task` of A2A. */
  readonly lines: readonly string[];
  /** With it, another export goes on from here. */
  readonly nextPageToken: string;
  readonly isDone: boolean;
}

/**
 * Where an export is. Tasks that have not ended, or not before `before`, are read in Redis, index by index, with those
 * that could not be copied; then the others in the archive, in the order of their end. The time stays the same for all of
 * an export, so that each task is in one of both. Later ones are read in the archive, too, if Redis does not have them:
 * it may have dropped them before it was read.
 */
interface Position {
  readonly before: string;
  /** Of the index in Redis; unset: Redis is done. */
  readonly key?: string | undefined;
  /** The last entry, of the index or of the archive. */
  readonly entry: string;
  readonly done: number;
}

/** Tasks that are read together, and entries of an index. */
const TASKS_AT_ONCE = 20;
const ENTRIES_AT_ONCE = 500;
/** Of tasks from the archive: one that is larger is read alone. */
const BYTES_AT_ONCE = 4 * 1024 ** 2;
const TIME_LENGTH = 8;
const ENDED_IN_INDEX = [...ENDED_LETTERS, withdrawnLetter].sort();

interface Index {
  readonly key: string;
  readonly scope: Scope;
}

interface Exported {
  readonly lines: readonly string[];
  readonly position: Position;
}

/** All tasks of a tenant, or of a principal, each once. At most a page of them is in memory. */
export class TenantExport {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {InvalidPageToken} @throws {ArchiveUnavailable} */
  async *run(query: TenantExportQuery, signal: AbortSignal): AsyncGenerator<ExportProgress, void> {
    const { tenant, subject, since, until } = query;
    const filters = ['export', tenant, subject, since, until];
    const token = decodePageToken(query.pageToken, filters);
    const indexes = await this.#indexes(query);
    let position: Position =
      token === undefined
        ? { before: await this.#boundary(), key: indexes[0]?.key, entry: '', done: 0 }
        : JSON.parse(token);
    const total = await this.#total(query, indexes, position);
    const progress = (lines: readonly string[], isDone: boolean): ExportProgress => {
      const { done } = position;
      const nextPageToken = encodePageToken(JSON.stringify(position), filters);
      return { total: isDone ? done : Math.max(total, done), done, lines, nextPageToken, isDone };
    };
    yield progress([], false);
    for await (const step of this.#steps(query, indexes, position)) {
      if (signal.aborted) return;
      position = { ...step.position, done: position.done + step.lines.length };
      yield progress(step.lines, false);
    }
    yield progress([], true);
  }

  async *#steps(query: TenantExportQuery, indexes: readonly Index[], from: Position): AsyncGenerator<Exported, void> {
    const { key, before } = from;
    for (const index of key === undefined ? [] : indexes.filter((one) => one.key >= key)) {
      const entry = index.key === key ? from.entry : '';
      yield* this.#inRedis(query, index, { ...from, key: index.key, entry });
    }
    yield* this.#inArchive(query, { ...from, key: undefined, entry: key === undefined ? from.entry : '', before });
  }

  /** First the tasks that have not ended: those of them that end meanwhile are left out of the ended ones. */
  async *#inRedis(query: TenantExportQuery, { key, scope }: Index, from: Position): AsyncGenerator<Exported, void> {
    const { redis } = this.#dependencies;
    const open = await redis.zrangebylex(key, '[a', '+');
    const isOpen = new Set(open.map((entry) => taskIdOf(entry.slice(1))));
    const isAmongEnded = from.entry !== '' && from.entry < 'a';
    yield* this.#read(query, scope, {
      from,
      entries: isAmongEnded ? [] : open.filter((entry) => entry > from.entry),
    });
    for (let after = isAmongEnded ? `(${from.entry}` : '[A'; ; ) {
      const entries = await redis.zrangebylex(key, after, '(a', 'LIMIT', 0, ENTRIES_AT_ONCE);
      const others = entries.filter((entry) => !isOpen.has(taskIdOf(entry.slice(1))));
      yield* this.#read(query, scope, { from, entries: others });
      if (entries.length < ENTRIES_AT_ONCE) return;
      after = `(${entries.at(-1)}`;
    }
  }

  async *#read(
    query: TenantExportQuery,
    scope: Scope,
    { from, entries }: { readonly from: Position; readonly entries: readonly string[] },
  ): AsyncGenerator<Exported, void> {
    const { redis, shards, archive } = this.#dependencies;
    const chosen = limitsOf(query);
    for (let at = 0; at < entries.length; ) {
      const some = entries.slice(at, at + TASKS_AT_ONCE);
      const ids = some.map((entry) => taskIdOf(entry.slice(1)));
      const [tasks, times, copied] = await Promise.all([
        readTogether(this.#dependencies, scope, { taskIds: ids, view: {} }),
        Promise.all(ids.map((id) => redis.hmget(shards.of(id).task(id), 'state', 'time', 'index_time'))),
        archive?.existing(ids),
      ]);
      const lines = tasks.flatMap((reading, i) => {
        const [state, time, ended] = times[i] ?? [];
        // Not in Redis any more: the archive has it, or it was deleted.
        if (!reading?.task || !state || !time) return [];
        const endedAt = endIn(state, ended ?? time);
        const isOfArchive = endedAt !== undefined && endedAt < from.before && copied?.has(ids[i] ?? '');
        return isOfArchive || !chosen(endedAt ?? time) ? [] : lineOf(scope, endedAt, reading.task.toString());
      });
      // Fewer are read if they are large.
      at += Math.max(tasks.length, 1);
      yield { lines, position: { ...from, entry: some[tasks.length - 1] ?? '' } };
    }
  }

  async *#inArchive(query: TenantExportQuery, from: Position): AsyncGenerator<Exported, void> {
    const { archive } = this.#dependencies;
    if (!archive) return;
    const letters = ENDED_IN_INDEX.join('');
    const range = { letters, since: sortable(query.since), upto: sortable(query.until), before: '~' };
    for (let after = from.entry; ; ) {
      const entries = await archive.endedOf(prefixOf(query), { ...range, after, size: ENTRIES_AT_ONCE });
      for (const some of await inPieces(archive, await this.#notInRedis(entries, from.before))) {
        const lines = await archivedLines(archive, some);
        yield { lines, position: { ...from, entry: some.at(-1) ?? '' } };
      }
      if (entries.length < ENTRIES_AT_ONCE) return;
      after = entries.at(-1) ?? '';
    }
  }

  /** Without the tasks that were read there: of those that ended later than `before`. */
  async #notInRedis(entries: readonly string[], before: string): Promise<string[]> {
    const { redis, shards } = this.#dependencies;
    const isThere = async (id: string): Promise<boolean> => (await redis.exists(shards.of(id).task(id))) === 1;
    const wanted = await Promise.all(entries.map(async (entry) => entry < before || !(await isThere(taskIdOf(entry)))));
    return entries.filter((_, i) => wanted[i]);
  }

  /** The indexes of tasks of the tenant, in one order. */
  async #indexes({ tenant, subject }: TenantExportQuery): Promise<Index[]> {
    const found = new Map<string, Scope>();
    const find = async (shard: ShardKeys): Promise<void> => {
      for await (const { kind, key, owner, rest } of ownedKeys(this.#dependencies.redis, shard, tenant))
        if (kind === 'x' && rest === undefined && [undefined, scopeOf(owner).principal.subject].includes(subject))
          found.set(key, scopeOf(owner));
    };
    for (const shard of this.#dependencies.shards.all) await find(shard);
    return Array.from(found, ([key, scope]) => ({ key, scope })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The time before which the archive has all ended tasks. Redis has none of those before the lists of Redis begin. */
  async #boundary(): Promise<string> {
    const { redis, shards, settings, archive } = this.#dependencies;
    if (!archive) return '';
    const cursors = await Promise.all(shards.all.map(async (keys) => (await readCursor(redis, keys)) ?? ''));
    const [copied = ''] = cursors.sort();
    const kept = keptSince(settings.retentionMs, archive);
    return copied > kept ? copied : kept;
  }

  async #total(query: TenantExportQuery, indexes: readonly Index[], { before }: Position): Promise<number> {
    const { redis, archive } = this.#dependencies;
    const ranges = (key: string): Promise<number>[] => [
      redis.zlexcount(key, '[a', '+'),
      ...ENDED_IN_INDEX.map((letter) => redis.zlexcount(key, `[${letter}${before}`, `(${letter}~`)),
    ];
    const counts = await Promise.all(indexes.flatMap(({ key }) => ranges(key)));
    const archived = await archive?.find({
      ownerPrefix: prefixOf(query),
      letters: ENDED_IN_INDEX.join(''),
      // The archive counts those of a tenant by their end, and those of a principal by their status.
      by: query.subject === undefined ? 'endedAt' : 'time',
      since: sortable(query.since),
      upto: sortable(query.until),
      before,
      token: '',
      size: 1,
    });
    return counts.reduce((sum, count) => sum + count, archived?.total ?? 0);
  }
}

/** @returns undefined: it has not ended */
const endIn = (state: string, time: string): string | undefined => (state === state.toUpperCase() ? time : undefined);

const sortable = (time: string | undefined): string => (time === undefined ? '' : sortableTime(time));

function prefixOf({ tenant, subject }: TenantExportQuery): string {
  const ofTenant = `${encodeURIComponent(tenant)}/`;
  return subject === undefined ? ofTenant : `${ofTenant}${encodeURIComponent(subject)}/`;
}

function limitsOf({ since, until }: TenantExportQuery): (time: string) => boolean {
  const [from, upto] = [sortable(since), until === undefined ? '~' : sortableTime(until)];
  return (time) => time >= from && time <= upto;
}

/** Entries of tasks that are read together. */
async function inPieces(archive: TaskArchive, entries: readonly string[]): Promise<string[][]> {
  const known = await archive.read(entries.map(taskIdOf), { contents: 'none' });
  const pieces: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const size = known.get(taskIdOf(entry))?.bytes ?? 0;
    bytes += size;
    if (bytes > BYTES_AT_ONCE) {
      pieces.push([]);
      bytes = size;
    }
    pieces.at(-1)?.push(entry);
  }
  return pieces;
}

/** Tasks that were deleted meanwhile are left out. */
async function archivedLines(archive: TaskArchive, entries: readonly string[]): Promise<string[]> {
  const found = await archive.read(entries.map(taskIdOf), { contents: 'all' });
  return entries.flatMap((entry) => {
    const one = found.get(taskIdOf(entry));
    if (!one?.task) return [];
    return lineOf(scopeOf(one.owner), entry.slice(0, TIME_LENGTH), Buffer.concat([...one.task]).toString());
  });
}

/** A task in Redis has tabs between its messages. */
function lineOf({ principal, agent }: Scope, endedAt: string | undefined, task: string): string {
  const { tenant, subject } = principal;
  const facts = JSON.stringify({ tenant, subject, agent, ...(endedAt && { endedAt: timeOf(endedAt) }) });
  return `${facts.slice(0, -1)},"task":${task.replaceAll('\t', '')}}`;
}
