import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import type { ArchiveView } from '@switchyard/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { archivedTask, archiveQuery, timeOf, unexpected } from './support/archived-tasks.ts';

describe.skipIf(skippedFor(missingPostgres))('the archive in PostgreSQL', () => {
  let server: TestPostgres;
  let archive: PostgresArchive;
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  beforeEach(async () => {
    schemas += 1;
    archive = new PostgresArchive({ url: `${server.url}?schema=s${schemas}`, onError: unexpected });
    await archive.start();
    return () => archive.stop();
  });

  async function jsonOf(id: string, view: Partial<ArchiveView> = {}): Promise<string | undefined> {
    const task = (await archive.read([id], { contents: 'all', ...view })).get(id)?.task;
    return task && Buffer.concat([...task]).toString();
  }

  it('gives back what was put, of those tasks that it has', async () => {
    await archive.put([archivedTask('a', 1), archivedTask('b', 2)]);
    const known = { owner: 'acme/al/pizza', context: 'dinner', letter: 'C', version: '7-1', answered: 1 };
    const json = '{"id":"a","artifacts":[1],"history":["a","b"]}';
    expect(await archive.read(['a', 'gone'], { contents: 'all' })).toEqual(
      new Map([['a', { ...known, bytes: json.length, task: [Buffer.from(json)] }]]),
    );
    expect(await archive.read(['a'], { contents: 'none' })).toEqual(new Map([['a', { ...known, bytes: json.length }]]));
    expect(await archive.existing(['a', 'b', 'gone'])).toEqual(new Set(['a', 'b']));
    expect(await archive.describe(['a', 'gone'], 'row')).toEqual(new Map([['a', '{"row":"a"}']]));
    expect(await archive.describe(['b'], 'detail')).toEqual(new Map([['b', '{"detail":"b"}']]));
    expect(await archive.describe(['b'], 'origin')).toEqual(new Map([['b', '["acme/al/pizza"]']]));
  });

  it('has empty answers for empty questions', async () => {
    await archive.put([]);
    expect(await archive.read([], { contents: 'all' })).toEqual(new Map());
    expect(await archive.describe([], 'row')).toEqual(new Map());
    expect(await archive.existing([])).toEqual(new Set());
    expect(await archive.find(archiveQuery())).toEqual({ total: 0, sortKeys: [] });
    expect(await archive.find(archiveQuery({ agents: [] }))).toEqual({ total: 0, sortKeys: [] });
    expect(await archive.status()).toEqual({ tasks: 0, bytes: expect.any(Number), oldest: '', latest: '' });
  });

  it('reads the parts of a view', async () => {
    const history = ['{"n":1}', '{"n":2}', '{"n":3}'];
    const json = { head: '{"id":"a"', artifacts: ',"artifacts":["é"]', history, tail: ',"metadata":{}}' };
    await archive.put([archivedTask('a', 1, { json })]);
    await archive.put([archivedTask('b', 1, { json: { ...json, artifacts: '', history: [] } })]);
    const artifacts = ',"artifacts":["é"]';
    expect(await jsonOf('a', { historyLength: 2 })).toBe(
      `{"id":"a"${artifacts},"history":[{"n":2},{"n":3}],"metadata":{}}`,
    );
    expect(await jsonOf('a', { historyLength: 9, includeArtifacts: false })).toBe(
      '{"id":"a","history":[{"n":1},{"n":2},{"n":3}],"metadata":{}}',
    );
    expect(await jsonOf('a', { historyLength: 0 })).toBe(`{"id":"a"${artifacts},"metadata":{}}`);
    expect(await jsonOf('b')).toBe('{"id":"a","metadata":{}}');
    expect(await jsonOf('b', { historyLength: 3 })).toBe('{"id":"a","metadata":{}}');
  });

  it.each<Partial<ArchiveView>>([{}, { historyLength: 0 }, { includeArtifacts: false }])(
    'knows the bytes of a view before it reads it: %o',
    async (view) => {
      const json = { head: '{"é":1', artifacts: ',"artifacts":["🍕"]', history: ['"ü"', '"b"'], tail: '}' };
      await archive.put([archivedTask('a', 1, { json })]);
      const known = (await archive.read(['a'], { contents: 'none', ...view })).get('a');
      expect(known?.bytes).toBe(Buffer.byteLength((await jsonOf('a', view)) ?? ''));
    },
  );

  it('keeps texts as they are: escapes of NUL and of half a pair, quotes, backslashes, braces', async () => {
    const message = String.raw`{"text":"\u0000 \ud800 \\ \" {} NULL , ; 🍕'; DROP TABLE tasks; --"}`;
    const json = { head: '{"id":"a"', artifacts: `,"artifacts":[${message}]`, history: [message, '"NULL"'], tail: '}' };
    await archive.put([archivedTask('a', 1, { json, row: message })]);
    expect(await jsonOf('a')).toBe(`{"id":"a","artifacts":[${message}],"history":[${message},"NULL"]}`);
    expect(await archive.describe(['a'], 'row')).toEqual(new Map([['a', message]]));
  });

  it('keeps tasks of 40 MiB', async () => {
    const large = (mib: number) => `"${'\\"é'.repeat((mib / 4) * 1024 ** 2)}"`;
    const json = { head: '{"id":"a"', artifacts: `,"artifacts":[${large(20)}]`, history: [large(20)], tail: '}' };
    await archive.put([archivedTask('a', 1, { json }), archivedTask('b', 2)]);
    expect((await jsonOf('a')) === `{"id":"a","artifacts":[${large(20)}],"history":[${large(20)}]}`).toBe(true);
    expect(await archive.existing(['a', 'b'])).toEqual(new Set(['a', 'b']));
  });

  it('replaces an older copy, and no newer one: events are counted, not compared as texts', async () => {
    const at = (version: string) => archivedTask('a', 1, { version, row: `"${version}"` });
    const row = async () => (await archive.describe(['a'], 'row')).get('a');
    await archive.put([at('9-1')]);
    await archive.put([at('10-1')]);
    expect(await row()).toBe('"10-1"');
    await archive.put([at('9-1')]);
    expect(await row()).toBe('"10-1"');
    await archive.put([at('12-1'), at('11-1')]);
    expect(await row()).toBe('"12-1"');
    // Redis lost the events after the third one, and went on with others.
    await archive.put([at('5-2')]);
    expect(await row()).toBe('"5-2"');
  });

  it('takes more tasks at once than a statement has room for, from several processes at the same time', async () => {
    const tasks = Array.from({ length: 1_200 }, (_, i) => archivedTask(`t${i}`, i));
    await Promise.all([archive.put(tasks), archive.put(tasks.toReversed()), archive.put(tasks)]);
    expect(await archive.status()).toMatchObject({ tasks: 1_200, oldest: timeOf(0), latest: timeOf(1_199) });
  });

  it('takes names of any length', async () => {
    const owner = `acme/${'%20'.repeat(2_000)}/pizza`;
    const context = '🍕'.repeat(3_000);
    await archive.put([
      archivedTask('a', 1, { owner, context }),
      archivedTask('b', 1, { owner, context: `${context}!` }),
    ]);
    expect(await archive.find(archiveQuery({ owner, context, by: 'time' }))).toMatchObject({ total: 1 });
    expect(await archive.find(archiveQuery({ ownerPrefix: owner.slice(0, -'pizza'.length) }))).toMatchObject({
      total: 2,
    });
    expect((await archive.read(['a'], { contents: 'none' })).get('a')).toMatchObject({ owner, context });
  });

  it('deletes a task for good', async () => {
    await archive.put([archivedTask('a', 1), archivedTask('b', 2)]);
    expect(await archive.delete('a')).toBe(true);
    expect(await archive.delete('a')).toBe(false);
    await archive.put([archivedTask('a', 1, { version: '9-1' }), archivedTask('c', 3)]);
    expect(await archive.existing(['a', 'b', 'c'])).toEqual(new Set(['b', 'c']));
    expect(await archive.read(['a'], { contents: 'all' })).toEqual(new Map());
    expect(await archive.describe(['a'], 'detail')).toEqual(new Map());
    expect(await archive.find(archiveQuery())).toEqual({ total: 2, sortKeys: [`${timeOf(3)}c`, `${timeOf(2)}b`] });
    expect(await archive.status()).toMatchObject({ tasks: 2, oldest: timeOf(2) });
  });

  it('deletes a task whose copy is still on its way', async () => {
    expect(await archive.delete('a')).toBe(false);
    await archive.put([archivedTask('a', 1)]);
    expect(await archive.existing(['a'])).toEqual(new Set());
  });

  it('deletes the tasks of a tenant for good, in steps', async () => {
    const owners = {
      d: 'acme/al/pizza',
      a: 'acme/al/pasta',
      c: 'acme/alice/pizza',
      b: 'acme2/al/pizza',
      e: 'ac%2Fme/al/x',
    };
    const tasks = Object.entries(owners).map(([id, owner]) => archivedTask(id, 1, { owner }));
    const left = async () => [...(await archive.existing(Object.keys(owners)))].sort();
    await archive.put(tasks);
    expect(await archive.deleteTenant('acme', 2)).toBe(2);
    expect(await left()).toEqual(['b', 'd', 'e']);
    expect(await archive.deleteTenant('acme', 2)).toBe(1);
    expect(await archive.deleteTenant('acme', 2)).toBe(0);
    await archive.put(tasks);
    expect(await left()).toEqual(['b', 'e']);
    expect(await archive.status()).toMatchObject({ tasks: 2 });
    expect(await archive.deleteTenant('ac%2Fme', 9)).toBe(1);
    expect(await left()).toEqual(['b']);
  });

  it('forgets old tasks in steps, and with them the marks of deletion', async () => {
    await archive.put(Array.from({ length: 5 }, (_, i) => archivedTask(`t${i}`, i)));
    await archive.delete('t0');
    expect(await archive.expire(timeOf(4), 2)).toBe(2);
    expect(await archive.existing(['t1', 't2', 't3', 't4'])).toEqual(new Set(['t3', 't4']));
    expect(await archive.expire(timeOf(4), 2)).toBe(1);
    expect(await archive.expire(timeOf(4), 2)).toBe(0);
    // The mark is gone, too.
    await archive.put([archivedTask('t0', 9)]);
    expect(await archive.existing(['t0', 't4'])).toEqual(new Set(['t0', 't4']));
  });

  it('takes hostile texts for what they are', async () => {
    const hostile = ["' OR ''='", '"; DROP TABLE tasks; --', '%', '_', '$1', '{a,b}', 'a\0b', '\ud800', '\\', ''];
    await archive.put([archivedTask('a', 1), archivedTask('%', 2, { owner: '%/_/x' })]);
    expect(await archive.existing(hostile)).toEqual(new Set(['%']));
    for (const text of hostile.filter((each) => each !== '%')) {
      expect(await archive.read([text], { contents: 'all' })).toEqual(new Map());
      expect(await archive.describe([text], 'row')).toEqual(new Map());
      expect(await archive.find(archiveQuery({ owner: text }))).toMatchObject({ total: 0 });
      expect(await archive.find(archiveQuery({ context: text }))).toMatchObject({ total: 0 });
      expect(await archive.find(archiveQuery({ agents: [text, text] }))).toMatchObject({ total: 0 });
      expect(await archive.find(archiveQuery({ ownerPrefix: `${text}/` }))).toMatchObject({ total: 0 });
      expect(await archive.delete(text)).toBe(false);
    }
    expect((await archive.find(archiveQuery({ token: "' OR ''=' --" }))).total).toBe(2);
    expect(await archive.status()).toMatchObject({ tasks: 2 });
    expect(await archive.deleteTenant('_', 9)).toBe(0);
    expect(await archive.deleteTenant("' OR ''='", 9)).toBe(0);
    expect(await archive.deleteTenant('%', 9)).toBe(1);
    expect(await archive.existing(['a', '%'])).toEqual(new Set(['a']));
  });
});
