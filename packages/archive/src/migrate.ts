import { ArchiveRefused } from './archive-refused.ts';
import type { Database } from './database.ts';
import { migrations } from './migrations.ts';
import type { Tables } from './tables.ts';

/** Of one step, and of the wait for another process that makes it. */
const STEP_TIMEOUT_MS = 10 * 60_000;
const OLDEST_VERSION = 13;

interface Found {
  readonly server: number;
  readonly encoding: string;
  readonly has_schema: boolean;
  readonly has_migrations: boolean;
}

/**
 * Makes the tables, unless they are there; processes that start at once do it one after the other.
 * @param schemaName not quoted, as catalogues have it
 */
export async function migrate(database: Database, schemaName: string, tables: Tables): Promise<void> {
  const { schema } = tables;
  const inspection = {
    text: `SELECT current_setting('server_version_num')::int / 10000 AS server,
        current_setting('server_encoding') AS encoding,
        EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS has_schema,
        to_regclass($2) IS NOT NULL AS has_migrations`,
    values: [schemaName, `${schema}.migrations`],
  };
  const [found] = await database.query<Found>(inspection);
  if (found) requireServer(found);
  const version = { text: `SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations` };
  const known = found?.has_migrations ? await database.query<{ version: number }>(version) : [];
  if ((known[0]?.version ?? 0) >= migrations.length) return;
  await database.transaction(STEP_TIMEOUT_MS, async (query) => {
    await query({
      text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
      values: [`switchyard archive ${schemaName}`],
    });
    // Whether a schema exists is asked first: making one needs a right, even if it is there.
    const [now] = await query<Found>(inspection);
    if (!now?.has_schema) await query({ text: `CREATE SCHEMA ${schema}` });
    if (!now?.has_migrations)
      await query({
        text: `CREATE TABLE ${schema}.migrations (version int PRIMARY KEY, done_at timestamptz NOT NULL DEFAULT now())`,
      });
    const [{ version: done } = { version: 0 }] = await query<{ version: number }>(version);
    for (const [i, step] of migrations.entries()) {
      if (i < done) continue;
      await query({ text: step(tables) });
      await query({ text: `INSERT INTO ${schema}.migrations (version) VALUES ($1)`, values: [i + 1] });
    }
  });
}

function requireServer({ server, encoding }: Found): void {
  if (server < OLDEST_VERSION)
    throw new ArchiveRefused(
      `PostgreSQL ${server}, which ARCHIVE_URL names, is too old: ${OLDEST_VERSION} or later will do.`,
    );
  if (encoding !== 'UTF8')
    throw new ArchiveRefused(`The database of ARCHIVE_URL has the encoding ${encoding}: it must be UTF8.`);
}
