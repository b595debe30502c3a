import { Client } from 'pg';
import { startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { FaultProxy } from '../redis/fault-proxy.ts';

/** An archive in a PostgreSQL behind a proxy. */
export interface Archive extends AsyncDisposable {
  /** Settings of gateways and workers. */
  readonly env: Readonly<Record<string, string>>;
  /** Of its URL. */
  readonly secret: string;
  readonly postgres: TestPostgres;
  readonly proxy: FaultProxy;
  /** Runs statements as PostgreSQL's superuser, past the proxy. @returns the rows of one statement */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The user of the programs. It owns the schema. */
export const ARCHIVE_USER = 'switchyard';
export const ARCHIVE_TABLE = 'switchyard.tasks';

export async function startArchive(): Promise<Archive> {
  await using owned = new AsyncDisposableStack();
  const secret = `secret-of-postgres-${process.pid}`;
  const postgres = await startPostgres({ password: secret });
  owned.defer(() => postgres.stop());
  const sql: Archive['sql'] = async (text) => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    return client
      .query(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  };
  await sql(`CREATE ROLE ${ARCHIVE_USER} LOGIN PASSWORD '${secret}'`);
  await sql(`CREATE SCHEMA switchyard AUTHORIZATION ${ARCHIVE_USER}`);
  const proxy = owned.use(await FaultProxy.start(Number(new URL(postgres.url).port)));
  const kept = owned.move();
  return {
    env: {
      ARCHIVE_URL: `postgres://${ARCHIVE_USER}:${secret}@127.0.0.1:${proxy.port}/postgres`,
      ARCHIVE_AFTER_MS: '500',
    },
    secret,
    postgres,
    proxy,
    sql,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
