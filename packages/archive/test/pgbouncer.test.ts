import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { missingPgBouncer, startPgBouncer } from '../../../tests/support/pgbouncer.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { until } from '../../../tests/support/until.ts';
import { archivedTask, archiveQuery, unexpected } from './support/archived-tasks.ts';

// Skipped in CI, too, if it is not installed.
const skipped = missingPostgres ?? missingPgBouncer ?? '';

/** In transaction mode, where a client has another connection to PostgreSQL in each transaction. */
describe.skipIf(skipped)(`the archive behind PgBouncer${skipped && ` (not tested: ${skipped})`}`, () => {
  let server: TestPostgres;
  let url: string;
  const owned = new AsyncDisposableStack();

  beforeAll(async () => {
    server = await startPostgres();
    owned.defer(() => server.stop());
    const bouncer = await startPgBouncer(server);
    owned.defer(() => bouncer.stop());
    url = bouncer.url;
    const answers = async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.end();
      return true;
    };
    await until(answers, { what: 'PgBouncer answers' });
  });
  afterAll(() => owned.disposeAsync());

  function archiveAt(schema: string, timeoutMs = 5_000): PostgresArchive {
    const archive = new PostgresArchive({ url, schema, timeoutMs, onError: unexpected });
    onTestFinished(() => archive.stop());
    return archive;
  }

  it('makes its tables once, though several processes start at the same time', async () => {
    const archives = Array.from({ length: 8 }, () => archiveAt('start'));
    await Promise.all(archives.map((archive) => archive.start()));
    expect(await archives[7]?.status()).toMatchObject({ tasks: 0 });
  });

  it('does all that it does without, for two programs at once, with more requests than connections', async () => {
    const [one, two] = [archiveAt('work'), archiveAt('work')];
    await Promise.all([one.start(), two.start()]);
    const large = archivedTask('large', 1, { detail: JSON.stringify('x'.repeat(2 * 1024 ** 2)) });
    await Promise.all([one, two].map((archive) => archive.put([large, archivedTask('a', 1), archivedTask('b', 2)])));
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const archive = i % 2 === 0 ? one : two;
        const [page, tasks, rows, copies] = await Promise.all([
          archive.find(archiveQuery({ owner: 'acme/al/pizza', size: 2 })),
          archive.read(['a', 'b', 'large'], { contents: 'all' }),
          archive.describe(['a'], 'row'),
          archive.inspect(['a', 'b', 'c']),
        ]);
        return [page.total, page.sortKeys.length, tasks.size, rows.size, copies.size];
      }),
    );
    expect(answers).toEqual(answers.map(() => [3, 3, 3, 1, 2]));
    expect(await one.delete('a')).toBe(true);
    expect(await two.existing(['a', 'b'])).toEqual(new Set(['b']));
    expect(await one.expire('00000002', 10)).toBe(1);
    expect(await two.deleteTenant('acme', 9)).toBe(1);
  });

  it('a statement that takes too long is ended', async () => {
    const archive = archiveAt('slow', 300);
    await archive.start();
    const other = new Client({ connectionString: server.url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE slow.tasks');
    await expect(archive.existing(['a'])).rejects.toThrow(/took too long|does not answer/);
    await other.end();
    await until(async () => (await archive.existing(['a'])).size === 0, { what: 'the table is free' });
  });
});
