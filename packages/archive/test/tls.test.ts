import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openArchive } from '@switchyard/archive';
import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasProgram, skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { until } from '../../../tests/support/until.ts';
import { archivedTask, unexpected } from './support/archived-tasks.ts';

const missing = missingPostgres ?? (hasProgram('openssl', 'version') ? undefined : 'no openssl');

describe.skipIf(skippedFor(missing))('TLS to PostgreSQL', () => {
  let folder: string;
  let server: TestPostgres;
  const at = (name: string): string => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-tls-'));
    await authority('ours');
    await authority('other');
    await certificate('ours', 'localhost', 'DNS:localhost');
    const [cert, key] = await Promise.all([
      readFile(at('localhost.crt'), 'utf8'),
      readFile(at('localhost.key'), 'utf8'),
    ]);
    server = await startPostgres({ password: 'open-sesame', tls: { cert, key } });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const openssl = (...words: string[]) => promisify(execFile)('openssl', words, { cwd: folder });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  async function authority(name: string): Promise<void> {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
    await openssl('req', '-x509', ...newKey, ...files, '-days', '2', '-subj', `/CN=${name}`);
  }

  async function certificate(by: string, name: string, names: string): Promise<void> {
    await openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    await writeFile(at('names'), `subjectAltName=${names}\n`);
    const authorities = ['-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial'];
    await openssl(
      ...[
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        ...authorities,
        '-days',
        '2',
        '-extfile',
        'names',
        '-out',
        `${name}.crt`,
      ],
    );
  }

  /** @param host as the certificate has it, or not */
  const urlOf = (host: string, parameters: object): string =>
    `${server.url.replace('127.0.0.1', host)}?${new URLSearchParams({ ...parameters })}`;

  function archiveAt(url: string): PostgresArchive {
    const archive = new PostgresArchive({ url, onError: () => undefined });
    onTestFinished(() => archive.stop());
    return archive;
  }

  it.each(['verify-full', 'require'])(
    'sslmode=%s takes a certificate of the authority that was given',
    async (sslmode) => {
      const archive = archiveAt(urlOf('localhost', { sslmode, sslrootcert: at('ours.crt'), schema: sslmode }));
      await archive.start();
      await archive.put([archivedTask('a', 1)]);
      expect(await archive.existing(['a'])).toEqual(new Set(['a']));
      const client = new Client({ connectionString: urlOf('localhost', { sslmode: 'no-verify' }) });
      await client.connect();
      const { rows } = await client.query(
        "SELECT bool_and(ssl) AS all_are FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'switchyard'",
      );
      await client.end();
      expect(rows).toEqual([{ all_are: true }]);
      // Connections that are lost are made again, with TLS.
      await server.restart();
      await until(async () => (await archive.existing(['a'])).size === 1, { what: 'it answers again' });
    },
  );

  it.each([
    ['another authority', 'localhost', { sslmode: 'verify-full', sslrootcert: 'other.crt' }, /certificate/],
    ['no authority that Node knows', 'localhost', { sslmode: 'require' }, /certificate/],
    ['another name', '127.0.0.1', { sslmode: 'require', sslrootcert: 'ours.crt' }, /does not match certificate/],
  ])('a certificate of %s is refused, and no program starts with it', async (_, host, parameters, why) => {
    const { sslrootcert } = { sslrootcert: undefined, ...parameters };
    const url = urlOf(host, { ...parameters, ...(sslrootcert && { sslrootcert: at(sslrootcert) }) });
    const failure = await openArchive({ url, onError: unexpected }).catch((error: unknown) => String(error));
    expect(failure).toMatch(/TLS with the archive at .* failed \(.*\): see sslmode and sslrootcert in ARCHIVE_URL/);
    expect(failure).toMatch(why);
    expect(failure).not.toContain('open-sesame');
  });

  it('sslmode=no-verify takes any certificate, and without TLS the server refuses', async () => {
    await archiveAt(urlOf('127.0.0.1', { sslmode: 'no-verify' })).start();
    await expect(openArchive({ url: urlOf('localhost', {}), onError: unexpected })).rejects.toThrow(
      /does not let the user/,
    );
  });

  it('a server without TLS is refused if TLS is demanded, and a missing file is named', async () => {
    const plain = await startPostgres();
    onTestFinished(() => plain.stop());
    const demanding = `${plain.url}?sslmode=verify-full`;
    await expect(openArchive({ url: demanding, onError: unexpected })).rejects.toThrow(/^TLS .*does not support SSL/);
    expect(() => archiveAt(urlOf('localhost', { sslmode: 'require', sslrootcert: '/no/such.crt' }))).toThrow(
      'ARCHIVE_URL names a file that cannot be read: /no/such.crt',
    );
  });
});
