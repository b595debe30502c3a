import { inspect } from 'node:util';
import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { ArchiveUnavailable } from '@switchyard/store';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { until } from '../../../tests/support/until.ts';
import { archivedTask, archiveQuery, unexpected } from './support/archived-tasks.ts';

const password = 'open-sesame';

describe.skipIf(skippedFor(missingPostgres))('an archive that is away', () => {
  let server: TestPostgres;
  const errors: Error[] = [];

  beforeAll(async () => {
    server = await startPostgres({ password });
  });
  afterAll(() => server?.stop());

  function archiveAt(url: string, timeoutMs = 5_000): PostgresArchive {
    const archive = new PostgresArchive({ url, timeoutMs, onError: (error) => errors.push(error) });
    onTestFinished(() => archive.stop());
    return archive;
  }

  async function run(sql: string, url = server.url): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  async function reasonAt(url: string): Promise<string> {
    const error = await archiveAt(url)
      .start()
      .catch((reason: unknown) => reason);
    if (!(error instanceof ArchiveUnavailable)) throw new Error('it started', { cause: error });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.toContain(password);
    return error.message;
  }

  const at = (change: (url: URL) => void): string => {
    const url = new URL(server.url);
    change(url);
    return url.href;
  };

  it('says that nobody answers there', async () => {
    const reason = await reasonAt(at((url) => Object.assign(url, { port: '1' })));
    expect(reason).toMatch(/does not answer at 127\.0\.0\.1:1 \(.*ECONNREFUSED.*ARCHIVE_URL/);
    expect(await reasonAt(at((url) => Object.assign(url, { hostname: 'nowhere.invalid' })))).toMatch(
      /does not answer at nowhere\.invalid:\d+ \(.+\).*ARCHIVE_URL/,
    );
  });

  it('says that the password is wrong, or the database is missing', async () => {
    expect(await reasonAt(at((url) => Object.assign(url, { password: 'wrong' })))).toMatch(
      /does not let the user "postgres" in \(password authentication failed.*ARCHIVE_URL/,
    );
    expect(await reasonAt(at((url) => Object.assign(url, { pathname: '/nothing' })))).toMatch(
      /has no database "nothing".*ARCHIVE_URL/,
    );
  });

  it('says that the user must not make the tables, and works once somebody has', async () => {
    await run("CREATE ROLE clerk LOGIN PASSWORD 'open-sesame'");
    const clerk = at((url) => Object.assign(url, { username: 'clerk', search: '?schema=office' }));
    expect(await reasonAt(clerk)).toMatch(/does not allow this to the user "clerk" \(permission denied/);
    await run('CREATE SCHEMA office AUTHORIZATION clerk');
    const archive = archiveAt(clerk);
    await archive.start();
    await archive.put([archivedTask('a', 1)]);
    expect(await archive.existing(['a'])).toEqual(new Set(['a']));
  });

  it('says that the database cannot store all texts', async () => {
    await run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    await expect(archiveAt(at((url) => Object.assign(url, { pathname: '/latin' }))).start()).rejects.toThrow(
      /LATIN1.*UTF8/,
    );
  });

  it('says that the server only reads', async () => {
    const url = at((each) => Object.assign(each, { search: '?schema=read_only' }));
    await run('CREATE DATABASE standby');
    await run('ALTER DATABASE standby SET default_transaction_read_only = on');
    expect(await reasonAt(url.replace('/postgres?', '/standby?'))).toMatch(/only reads .*primary/);
  });

  it.each(['https://archive', `postgres://user:${password}@host:port/x`, ''])(
    'refuses an address that is none, without its password: %s',
    (url) => {
      const read = () => new PostgresArchive({ url, onError: unexpected });
      expect(read).toThrow(/ARCHIVE_URL/);
      expect(read).toThrow(expect.not.objectContaining({ message: expect.stringContaining(password) }));
    },
  );

  it('takes the schema from the address, and the tables of another process that starts at the same time', async () => {
    const archives = Array.from({ length: 8 }, () => archiveAt(`${server.url}?schema=Our "own"`));
    await Promise.all(archives.map((archive) => archive.start()));
    await archives[0]?.put([archivedTask('a', 1)]);
    expect(await archives[1]?.existing(['a'])).toEqual(new Set(['a']));
    await run('SELECT FROM "Our ""own"""."tasks"');
    const again = archiveAt(`${server.url}?schema=Our "own"`);
    await again.start();
    expect(await again.status()).toMatchObject({ tasks: 1 });
  });

  it('refuses within its time while the server is frozen, and works afterwards', async () => {
    const archive = archiveAt(server.url, 500);
    await archive.start();
    await archive.put([archivedTask('a', 1)]);
    server.freeze();
    try {
      const asked = [
        archive.put([archivedTask('b', 1)]),
        archive.find(archiveQuery()),
        archive.read(['a'], { contents: 'all' }),
        archive.describe(['a'], 'row'),
        archive.existing(['a']),
        archive.delete('a'),
        archive.deleteTenant('acme', 1),
        archive.expire('00000000', 1),
        archive.status(),
        archiveAt(server.url, 500).start(),
      ];
      for (const { status, ...rest } of await Promise.allSettled(asked)) {
        expect(status).toBe('rejected');
        expect(rest).toMatchObject({ reason: expect.any(ArchiveUnavailable) });
      }
    } finally {
      server.thaw();
    }
    await until(async () => (await archive.existing(['c'])).size === 0, { what: 'the archive answers again' });
    await archive.put([archivedTask('c', 1)]);
    expect(await archive.existing(['c'])).toEqual(new Set(['c']));
  });

  it('gives up a statement that takes too long, and keeps the connection', async () => {
    const archive = archiveAt(`${server.url}?schema=slow`, 300);
    await archive.start();
    const other = new Client({ connectionString: server.url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE slow.tasks');
    errors.length = 0;
    await expect(archive.existing(['a'])).rejects.toThrow(/took too long/);
    await other.end();
    await until(async () => (await archive.existing(['a'])).size === 0, { what: 'the table is free' });
    expect(errors).toEqual([]);
  });

  it('stops although the server is frozen', async () => {
    const archive = archiveAt(server.url, 500);
    await archive.start();
    server.freeze();
    try {
      await archive.stop();
      await archive.stop();
    } finally {
      server.thaw();
    }
    await expect(archive.existing(['a'])).rejects.toBeInstanceOf(ArchiveUnavailable);
  });

  it('works again after the server was killed, and tells of the connections that were lost', async () => {
    const archive = archiveAt(server.url);
    await archive.start();
    await archive.put([archivedTask('k', 1)]);
    errors.length = 0;
    await server.restart();
    await until(() => errors.length > 0, { what: 'the lost connection is told' });
    expect(errors[0]).toBeInstanceOf(ArchiveUnavailable);
    expect(inspect(errors[0], { depth: 9, showHidden: true })).not.toContain(password);
    expect(await archive.existing(['k'])).toEqual(new Set(['k']));
  });

  it('keeps errors of its own statements apart from silence', async () => {
    const archive = archiveAt(`${server.url}?schema=broken`);
    await archive.start();
    await run('DROP TABLE broken.tasks');
    await expect(archive.existing(['a'])).rejects.toThrow(/failed \(relation "broken\.tasks" does not exist\)/);
    await expect(archive.existing(['a'])).rejects.toBeInstanceOf(ArchiveUnavailable);
  });
});
