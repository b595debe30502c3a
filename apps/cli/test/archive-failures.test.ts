import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { startProgram } from '../../../tests/support/process.ts';
import { get } from '../../../tests/support/rest.ts';
import { run } from './support/run.ts';

// What operators are told of a PostgreSQL that cannot be used: by a gateway that starts, its log, and the commands.

const password = 'open-sesame';
const key = 'a-key-for-operators-of-this-test';

interface Failure {
  /** Run by the superuser, before the gateway starts. */
  readonly prepare?: readonly string[];
  /** As `prepare`, in the database of the gateway. */
  readonly prepareThere?: string;
  readonly change: (url: URL) => void;
  readonly says: RegExp;
}

/** Nothing but a change of PostgreSQL, or of ARCHIVE_URL, will help: the gateway does not start. */
const refusals: Readonly<Record<string, Failure>> = {
  'a wrong password': {
    change: (url) => Object.assign(url, { password: 'wrong' }),
    says: /does not let the user "postgres" in \(password authentication failed for user "postgres"\): see ARCHIVE_URL/,
  },
  'a missing database': {
    change: (url) => Object.assign(url, { pathname: '/nothing' }),
    says: /has no database "nothing": create it, or see ARCHIVE_URL/,
  },
  'a user who may not make the tables': {
    prepare: [`CREATE ROLE clerk LOGIN PASSWORD '${password}'`],
    change: (url) => Object.assign(url, { username: 'clerk' }),
    says: /does not allow this to the user "clerk" \(permission denied for database postgres\): it must own the schema/,
  },
  'a replica': {
    prepare: ['CREATE DATABASE replica', 'ALTER DATABASE replica SET default_transaction_read_only = on'],
    change: (url) => Object.assign(url, { pathname: '/replica' }),
    says: /only reads \(.*read-only transaction\): ARCHIVE_URL must name the primary server/,
  },
  'a version that is too old': {
    // In whose schema a function of this name is found first.
    prepare: [
      `CREATE ROLE old LOGIN PASSWORD '${password}'`,
      'CREATE SCHEMA old AUTHORIZATION old',
      `CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS $$
        SELECT CASE $1 WHEN 'server_version_num' THEN '120022' ELSE pg_catalog.current_setting($1) END $$`,
      'ALTER ROLE old SET search_path = old, pg_catalog',
    ],
    change: (url) => Object.assign(url, { username: 'old' }),
    says: /PostgreSQL 12, which ARCHIVE_URL names, is too old: 13 or later will do/,
  },
  'another encoding': {
    prepare: ["CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0"],
    change: (url) => Object.assign(url, { pathname: '/latin' }),
    says: /has the encoding LATIN1: it must be UTF8/,
  },
};

/** What may pass: the gateway starts, and says so. */
const outages: Readonly<Record<string, Failure>> = {
  'a server that is away': {
    change: (url) => Object.assign(url, { port: '1' }),
    says: /does not answer at 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\): see whether PostgreSQL runs there, and ARCHIVE_URL/,
  },
  'too many connections': {
    prepare: [`CREATE ROLE few LOGIN PASSWORD '${password}' CONNECTION LIMIT 0`],
    change: (url) => Object.assign(url, { username: 'few' }),
    says: /has no connection left for the user "few" \(too many connections for role "few"\): allow it more, or/,
  },
  'a full disk': {
    // PostgreSQL says this when it cannot write a file.
    prepare: [`CREATE ROLE full_disk LOGIN PASSWORD '${password}'`, 'CREATE DATABASE full_disk OWNER full_disk'],
    prepareThere: `
      CREATE FUNCTION fail() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'could not extend file "base/16384/16385": No space left on device' USING ERRCODE = '53100';
      END $$;
      CREATE EVENT TRIGGER fail ON ddl_command_start EXECUTE FUNCTION fail()`,
    change: (url) => Object.assign(url, { username: 'full_disk', pathname: '/full_disk' }),
    says: /has no room left on its disk \(could not extend file .* No space left on device\): enlarge it/,
  },
};

describe.skipIf(skippedFor(missingPostgres))('an archive that cannot be used:', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres({ password });
  });
  afterAll(() => postgres?.stop());

  async function query(connectionString: string, statements: readonly string[]): Promise<void> {
    const client = new Client({ connectionString });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async function startGateway({ prepare = [], prepareThere, change }: Failure) {
    const url = new URL(postgres.url);
    await query(url.href, prepare);
    change(url);
    const there = Object.assign(new URL(postgres.url), { pathname: url.pathname });
    if (prepareThere) await query(there.href, [prepareThere]);
    const env = { PORT: '0', GRPC_PORT: 'off', ADMIN_PORT: '0', ADMIN_KEY: key, ARCHIVE_URL: url.href };
    const place = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix() };
    return startProgram({ file: 'apps/gateway/src/main.ts', env: { ...env, ...place } });
  }

  it.each(Object.entries(refusals))('with %s no gateway starts, and it says why', async (_, failure) => {
    const gateway = await startGateway(failure);
    expect(await gateway.exited).toBe(1);
    expect(gateway.output()).toMatch(/^Error: SWITCHYARD_ERR_ARCHIVE\nReason: /m);
    expect(gateway.output()).toMatch(failure.says);
    expect(gateway.output()).not.toMatch(new RegExp(`${password}|wrong@|    at `));
  });

  it.each(Object.entries(outages))(
    'with %s a gateway is ready, and its log and commands say why',
    async (_, failure) => {
      const gateway = await startGateway(failure);
      const [, url = ''] = await gateway.waitFor(/"url":"(http[^"]+)"[^\n]*"msg":"listening"/);
      const [, adminUrl = ''] = await gateway.waitFor(/"adminUrl":"(http[^"]+)"/);
      const log = gateway.output().replaceAll('\\"', '"');
      expect(log).toMatch(/"where":"archive"/);
      expect(log).toMatch(failure.says);
      expect((await get(`${url}/readyz`)).status).toBe(200);
      const env = { SWITCHYARD_OPERATOR_URL: adminUrl, ADMIN_KEY: key, REDIS_URL: inject('redisUrl') };
      const status = await run(['archive', 'status'], { env });
      expect([status.code, status.err]).toEqual([expect.any(Number), expect.stringMatching(failure.says)]);
      expect(status.code).not.toBe(0);
      const { out } = await run(['doctor', '--agent-card', url], { env });
      expect(out).toMatch(/^Problem: The archive cannot be used\. The archive .*\nDo: Mend it within RETENTION_MS/m);
      expect(out).toMatch(failure.says);
      expect(await gateway.stop()).toBe(0);
      expect(gateway.output()).not.toContain(password);
    },
  );
});
