import {
  ArchiveBusy,
  type ArchivedReading,
  type ArchivedTask,
  type ArchivePage,
  type ArchiveQuery,
  type ArchiveStatus,
  ArchiveUnavailable,
  type ArchiveView,
  type EndedRange,
  type Inspection,
  NotArchivable,
  type TaskArchive,
} from '@switchyard/store';
import { escapeIdentifier } from 'pg';
import { parseAddress } from './address.ts';
import { emptyCounts, recountStatements } from './counts.ts';
import { Database } from './database.ts';
import { endedStatement } from './ended.ts';
import { findStatement } from './find.ts';
import { type InspectedRow, inspectionOf, inspectStatement, isDamage } from './inspect.ts';
import { hasNul, keyOf } from './keyed-texts.ts';
import { migrate } from './migrate.ts';
import { batchesOf, erased, putStatement, sizeOfBatch } from './put.ts';
import { type ReadRow, readingOf, readStatement } from './read.ts';
import { searchStatement } from './search.ts';
import type { Statement } from './statement.ts';
import type { Tables } from './tables.ts';
import { AllBusy, DataRefused } from './unavailable.ts';

export interface ArchiveSettings {
  /** `postgres://user:password@host:port/database`, with parameters of `pg`, and `schema`. */
  readonly url: string;
  /** Of the tables. Default: that of the URL, else `switchyard`. */
  readonly schema?: string | undefined;
  /** Of a connection, and of a statement. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Default: 10. */
  readonly maxConnections?: number | undefined;
  /** Errors of connections that nobody waits for. */
  readonly onError: (error: Error) => void;
}

/** So many characters may take longer than other statements on a slow network. */
const LARGE_BATCH = 1024 ** 2;
const LARGE_TIMEOUT_MS = 60_000;

/** A million tasks may take a minute, and nobody waits for it. */
const RECOUNT_TIMEOUT_MS = 2 * 60 * 60_000;

/** Searches for texts at the same time. */
const SEARCHES = 2;
/** Else PostgreSQL reads the words of each task of a page on which some have the wanted ones. */
const SEARCH_MEMORY = '64MB';

const emptyPage: ArchivePage = { total: 0, sortKeys: [] };

/** Ended tasks in a table of PostgreSQL 13 or later. */
export class PostgresArchive implements TaskArchive {
  readonly #database: Database;
  /** Of searches for texts: slow ones keep nobody else waiting. */
  readonly #searches: Database;
  readonly #schema: string;
  readonly #tables: Tables;
  #started: Promise<void> | undefined;
  #recounting: Promise<void> | undefined;

  /** @throws {Error} the URL is not one of a PostgreSQL */
  constructor({ timeoutMs = 5_000, maxConnections = 10, onError, ...address }: ArchiveSettings) {
    const { url, schema } = parseAddress(address.url, address.schema);
    const quoted = escapeIdentifier(schema);
    this.#schema = schema;
    this.#tables = { schema: quoted, tasks: `${quoted}.tasks`, counts: `${quoted}.counts` };
    this.#database = new Database({ url, timeoutMs, maxConnections, onError });
    this.#searches = new Database({ url, timeoutMs, maxConnections: SEARCHES, workMemory: SEARCH_MEMORY, onError });
  }

  /** Makes or changes the tables if that is needed. After it failed, each request tries again. @throws {ArchiveUnavailable} */
  start(): Promise<void> {
    this.#started ??= migrate(this.#database, this.#schema, this.#tables).catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    await Promise.all([this.#database.stop(), this.#searches.stop()]);
  }

  async put(tasks: readonly ArchivedTask[]): Promise<void> {
    await this.start();
    try {
      for (const batch of batchesOf(tasks)) await this.#putBatch(batch);
    } catch (error) {
      throw error instanceof DataRefused ? new NotArchivable(error.message) : error;
    }
  }

  async #putBatch(batch: readonly ArchivedTask[]): Promise<void> {
    const statement = putStatement(this.#tables.tasks, batch);
    if (sizeOfBatch(batch) < LARGE_BATCH) await this.#database.query(statement);
    else await this.#database.transaction(LARGE_TIMEOUT_MS, async (query) => void (await query(statement)));
  }

  async find(query: ArchiveQuery): Promise<ArchivePage> {
    if (query.text !== undefined) return this.#search(query, query.text);
    const statement = findStatement(this.#tables, query);
    const [page] = statement ? await this.#query<ArchivePage>(statement) : [];
    return page ?? emptyPage;
  }

  async #search(query: ArchiveQuery, text: string): Promise<ArchivePage> {
    const statement = searchStatement(this.#tables.tasks, query, text);
    if (!statement) return emptyPage;
    await this.start();
    try {
      const [page] = await this.#searches.query<ArchivePage>(statement);
      return page ?? emptyPage;
    } catch (error) {
      throw error instanceof AllBusy ? new ArchiveBusy(error.message, { cause: error }) : error;
    }
  }

  async read(taskIds: readonly string[], view: ArchiveView): Promise<ReadonlyMap<string, ArchivedReading>> {
    const ids = storable(taskIds);
    if (ids.length === 0) return new Map();
    const rows = await this.#query<ReadRow>(readStatement(this.#tables.tasks, ids, view));
    return new Map(rows.map((row) => [row.id, readingOf(row)]));
  }

  async describe(taskIds: readonly string[], what: 'row' | 'detail' | 'origin'): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#select<{ id: string; json: string }>(`id, ${what}_json AS json`, taskIds);
    return new Map(rows.map(({ id, json }) => [id, json]));
  }

  async inspect(taskIds: readonly string[]): Promise<ReadonlyMap<string, Inspection>> {
    const ids = storable(taskIds);
    if (ids.length === 0) return new Map();
    try {
      const rows = await this.#query<InspectedRow>(inspectStatement(this.#tables.tasks, ids));
      return new Map(rows.map((row) => [row.id, inspectionOf(row)]));
    } catch (error) {
      if (!(error instanceof ArchiveUnavailable) || !isDamage(error)) throw error;
      // PostgreSQL does not say which of them it cannot read.
      const [id = ''] = ids;
      if (ids.length === 1) return new Map([[id, 'unreadable']]);
      const half = Math.ceil(ids.length / 2);
      return new Map([...(await this.inspect(ids.slice(0, half))), ...(await this.inspect(ids.slice(half)))]);
    }
  }

  async existing(taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#select<{ id: string }>('id', taskIds)).map(({ id }) => id));
  }

  /** A task that it does not have gets a mark, too: a copy of it may be on its way. */
  async delete(taskId: string): Promise<boolean> {
    if (hasNul(taskId)) return false;
    const { tasks } = this.#tables;
    const [deleted] = await this.#query<{ existed: boolean }>({
      text: `
        WITH known AS (SELECT FROM ${tasks} WHERE id = $1 AND deleted_at IS NULL)
        INSERT INTO ${tasks} AS old (id, ended_at, deleted_at) VALUES ($1, $2, now())
        ON CONFLICT (id) DO UPDATE SET ${erased}, deleted_at = now() WHERE old.deleted_at IS NULL
        RETURNING EXISTS (SELECT FROM known) AS existed`,
      values: [taskId, Date.now().toString(36).padStart(8, '0')],
    });
    return deleted?.existed ?? false;
  }

  async deleteTenant(tenant: string, size: number): Promise<number> {
    if (hasNul(tenant)) return 0;
    const { tasks } = this.#tables;
    // One index has this order. With `=` PostgreSQL would read tasks of all tenants, if this one has had many. Tasks that
    // somebody writes at this moment are left for the next time.
    const text = `
      WITH owned AS (
        SELECT id FROM ${tasks} WHERE tenant_key BETWEEN $1 AND $1
        ORDER BY tenant_key, letter, ended_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
      ), gone AS (
        UPDATE ${tasks} SET ${erased}, deleted_at = now() FROM owned WHERE tasks.id = owned.id RETURNING tasks.id
      ) SELECT count(*)::float8 AS count FROM gone`;
    const [gone] = await this.#query<{ count: number }>({ text, values: [keyOf(`${tenant}/`), size] });
    return gone?.count ?? 0;
  }

  async endedOf(ownerPrefix: string, range: EndedRange): Promise<readonly string[]> {
    if (hasNul(ownerPrefix)) return [];
    const rows = await this.#query<{ sortKey: string }>(endedStatement(this.#tables.tasks, ownerPrefix, range));
    return rows.map(({ sortKey }) => sortKey);
  }

  /** Up to `size` tasks, and as many marks of deletion. */
  async expire(before: string, size: number): Promise<number> {
    const { tasks } = this.#tables;
    const statement = (of: string): Statement => ({
      text: `
        WITH old AS (
          SELECT id FROM ${tasks} WHERE ended_at < $1 AND ${of}
          ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
        ), gone AS (DELETE FROM ${tasks} USING old WHERE tasks.id = old.id RETURNING tasks.id)
        SELECT count(*)::float8 AS count FROM gone`,
      values: [before, size],
    });
    const [gone] = await this.#query<{ count: number }>(statement('letter IS NOT NULL'));
    await this.#query(statement('deleted_at IS NOT NULL'));
    const { count = 0 } = gone ?? {};
    if (count > 0 && count < size) await this.#query(emptyCounts(this.#tables, before));
    return count;
  }

  recount(): Promise<void> {
    this.#recounting ??= this.#recount().finally(() => {
      this.#recounting = undefined;
    });
    return this.#recounting;
  }

  async #recount(): Promise<void> {
    await this.start();
    await this.#database.transaction(RECOUNT_TIMEOUT_MS, async (query) => {
      for (const statement of recountStatements(this.#tables)) await query(statement);
    });
  }

  async status(): Promise<ArchiveStatus> {
    const { tasks, counts } = this.#tables;
    const [status] = await this.#query<ArchiveStatus>({
      text: `
        SELECT (SELECT coalesce(sum(tasks), 0) FROM ${counts} WHERE scope = 'a')::float8 AS tasks,
          (pg_total_relation_size(oid) + pg_total_relation_size(to_regclass($2)))::float8 AS bytes,
          coalesce((SELECT ended_at FROM ${tasks} WHERE letter IS NOT NULL ORDER BY ended_at LIMIT 1), '') AS oldest,
          coalesce((SELECT ended_at FROM ${tasks} WHERE letter IS NOT NULL ORDER BY ended_at DESC LIMIT 1), '') AS latest
        FROM pg_catalog.pg_class WHERE oid = to_regclass($1)`,
      values: [tasks, counts],
    });
    return status ?? { tasks: 0, bytes: 0, oldest: '', latest: '' };
  }

  async #query<Row extends object>(statement: Statement): Promise<readonly Row[]> {
    await this.start();
    return this.#database.query<Row>(statement);
  }

  async #select<Row extends object>(columns: string, taskIds: readonly string[]): Promise<readonly Row[]> {
    const ids = storable(taskIds);
    if (ids.length === 0) return [];
    return this.#query<Row>({
      text: `SELECT ${columns} FROM ${this.#tables.tasks} WHERE id = ANY($1::text[]) AND deleted_at IS NULL`,
      values: [ids],
    });
  }
}

/** PostgreSQL refuses a statement with any other text. */
const storable = (ids: readonly string[]): readonly string[] => ids.filter((id) => !hasNul(id));
