import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { fingerprintOf } from '@switchyard/store/inside';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { until } from '../../../tests/support/until.ts';
import { archivedTask } from './support/archived-tasks.ts';

describe.skipIf(skippedFor(missingPostgres))('an inspection of the archive', () => {
  let server: TestPostgres;
  let archive: PostgresArchive;
  let schema = '';
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  beforeEach(async () => {
    schemas += 1;
    schema = `s${schemas}`;
    // Connections are lost when the server is killed.
    archive = new PostgresArchive({ url: `${server.url}?schema=${schema}`, onError: () => undefined });
    await archive.start();
    return () => archive.stop();
  });

  async function run<Row extends object>(sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    return (await client.query<Row>(sql).finally(() => client.end())).rows;
  }

  it('has the fingerprint of what was put, whatever the texts are', async () => {
    const json = { head: '{"id":"a"', artifacts: '', history: [], tail: '}' };
    const tasks = [
      archivedTask('plain', 1),
      archivedTask('empty', 2, { context: '', json }),
      archivedTask('odd', 3, { json: { ...json, head: '{"é\\\\x1e\\u0000😀', history: ['"a\\t"', '1,2', ''] } }),
      archivedTask('hidden', 4, { letter: 'M', answered: 0, detail: '' }),
    ];
    await archive.put(tasks);
    expect(await archive.inspect(['plain', 'empty', 'odd', 'hidden', 'none'])).toEqual(
      new Map(tasks.map((task) => [task.id, { fingerprint: fingerprintOf(task) }])),
    );
    const others = [
      { context: 'lunch' },
      { version: '8-1' },
      { answered: 2 },
      { letter: 'F' },
      { owner: 'acme/al/pasta' },
      { json: { ...json, head: '{"id":"b"' } },
      { json: { ...json, tail: ',"metadata":{}}' } },
    ].map((fields) => fingerprintOf(archivedTask('plain', 1, fields)));
    expect(new Set([...others, ...tasks.map(fingerprintOf)]).size).toBe(others.length + tasks.length);
  });

  it('tells marks of deletion, and rows that nobody can understand', async () => {
    await archive.put(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => archivedTask(id, 1)));
    await archive.delete('a');
    await archive.delete('never-there');
    await run(`UPDATE ${schema}.tasks SET row_json = '{"row":' WHERE id = 'b'`);
    await run(`UPDATE ${schema}.tasks SET origin_json = NULL WHERE id = 'c'`);
    await run(`UPDATE ${schema}.tasks SET head = NULL WHERE id = 'd'`);
    await run(`UPDATE ${schema}.tasks SET detail_json = '}' WHERE id = 'e'`);
    const found = await archive.inspect(['a', 'b', 'c', 'd', 'e', 'f', 'never-there']);
    expect(Object.fromEntries(found)).toEqual({
      a: 'deleted',
      b: 'unreadable',
      c: 'unreadable',
      d: 'unreadable',
      e: 'unreadable',
      f: { fingerprint: expect.any(String) },
      'never-there': 'deleted',
    });
  });

  it('tells which rows PostgreSQL itself cannot read, because a file is damaged', async () => {
    const noise = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('');
    const large = archivedTask('large', 1, { detail: JSON.stringify(noise) });
    await archive.put([archivedTask('a', 1), large, archivedTask('b', 1)]);
    await run('CHECKPOINT');
    const [file] = await run<{ path: string; folder: string }>(`
      SELECT pg_relation_filepath(reltoastrelid) AS path, current_setting('data_directory') AS folder
      FROM pg_class WHERE oid = '${schema}.tasks'::regclass`);
    await truncate(join(file?.folder ?? '', file?.path ?? ''), 0);
    await server.restart();
    const inspected = () => archive.inspect(['a', 'large', 'b']);
    const isBack = async () => (await inspected().catch(() => undefined)) !== undefined;
    await until(isBack, { what: 'PostgreSQL answers again' });
    const sound = { fingerprint: expect.any(String) };
    expect(Object.fromEntries(await inspected())).toEqual({ a: sound, b: sound, large: 'unreadable' });
  });
});
