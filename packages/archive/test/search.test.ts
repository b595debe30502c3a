import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { type ArchivedJson, ArchiveTooSlow } from '@switchyard/store';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres } from '../../../tests/support/postgres.ts';
import { archivedTask, archiveQuery, timeOf, unexpected } from './support/archived-tasks.ts';
import { useArchive } from './support/use-archive.ts';

const part = (text: string): string => JSON.stringify({ parts: [{ text }] });
const json = (history: readonly string[], artifacts: readonly string[] = []): ArchivedJson => ({
  head: '{"id":"x"',
  artifacts: artifacts.length === 0 ? '' : `,"artifacts":[${artifacts.map(part)}]`,
  history: history.map(part),
  tail: '}',
});

const texts: Readonly<Record<string, ArchivedJson>> = {
  asked: json(['Where is the invoice of ACME, please?', 'It was paid.']),
  artifact: json(['Write it'], ['See "invoice.pdf" at https://acme.example/invoices/2024_07?id=7\n\tand pay €12.50']),
  escaped: json(['say \\"text\\": "nothing" \u0000 e\u0301 Ünïcödé e\u0308 \u{1F355} \ud800 \\']),
  data: { ...json([]), history: [JSON.stringify({ parts: [{ data: { text: 'Order 66', note: 'unseen' } }] })] },
  chinese: json(['请给我三月的发票。', 'ขอใบแจ้งหนี้']),
  many: json(
    ['the first word', 'x'.repeat(3_000), 'behind it', `${'word '.repeat(20_000)}unreachable`],
    ['is reached'],
  ),
  distinct: json([Array.from({ length: 16_000 }, (_, i) => (i + 50_000).toString(36)).join(' ')]),
};

describe.skipIf(skippedFor(missingPostgres))('a search for words in the archive', () => {
  const stage = useArchive(Object.entries(texts).map(([id, text], i) => archivedTask(id, i, { json: text })));

  async function idsOf(text: string, fields: object = {}): Promise<string[]> {
    const { sortKeys, total } = await stage.archive.find(archiveQuery({ text, ...fields }));
    const ids = sortKeys.map((sortKey) => sortKey.slice(timeOf(0).length));
    expect(total).toBe(ids.length);
    return ids.sort();
  }

  it.each([
    ['invoice', ['artifact', 'asked']],
    ['INVOICE acme', ['artifact', 'asked']],
    ['invoice.pdf', ['artifact']],
    ['invoice acme please', ['asked']],
    ['invoice -please', ['artifact']],
    ['please or pdf', ['artifact', 'asked']],
    ['order', ['data']],
    ['unseen', []],
    ['"the invoice"', ['asked']],
    ['"invoice the"', []],
    ['invoices/2024', ['artifact']],
    ['12.50', ['artifact']],
    ['ünïcödé', ['escaped']],
    ['É ë', ['escaped']],
    ['发票', ['chinese']],
    ['"三月"', ['chinese']],
    ['票发', []],
    ['หนี้', ['chinese']],
    ['"behind it"', ['many']],
    ['unreachable', []],
    ['reached', ['many']],
    [(50_000).toString(36), ['distinct']],
    ['inv', []],
    ['', []],
    ['"', []],
    ['?! -', []],
    ['\0', []],
    ["' OR ''='", []],
    ['a & b | !c <-> (', []],
  ])('finds the tasks with %j', async (text, ids) => {
    expect(await idsOf(text)).toEqual(ids);
  });

  it('does not find a word that is longer than PostgreSQL keeps, and what is behind it', async () => {
    expect(await idsOf('x'.repeat(3_000))).toEqual([]);
    expect(await idsOf('"word behind"')).toEqual(['many']);
  });

  it('is combined with other filters, the latest first, page by page', async () => {
    const owners = ['acme/al/pizza', 'acme/bo/pasta', 'zoo/al/pizza'];
    const tasks = Array.from({ length: 60 }, (_, i) =>
      archivedTask(`owned-${i}`, 1_000 + i, {
        owner: owners[i % 3] ?? '',
        letter: i % 2 ? 'C' : 'F',
        context: i < 30 ? 'dinner' : 'lunch',
        json: json([`owned number ${i}`]),
      }),
    );
    await stage.archive.put(tasks);
    expect((await idsOf('owned', { agents: ['pizza'], letters: 'F' })).length).toBe(20);
    expect((await idsOf('owned', { agents: [] })).length).toBe(0);
    expect((await idsOf('owned', { ownerPrefix: 'acme/', letters: 'C' })).length).toBe(20);
    expect((await idsOf('owned', { ownerPrefix: 'acme/al/', by: 'time' })).length).toBe(20);
    expect((await idsOf('owned', { context: 'lunch', since: timeOf(1_040), upto: timeOf(1_049) })).length).toBe(10);
    expect(await idsOf('number 7', { id: 'owned-7' })).toEqual(['owned-7']);
    expect(await idsOf('number 7', { id: 'owned-8' })).toEqual([]);
    const pages: string[] = [];
    for (let token = ''; ; token = pages.at(-1) ?? '') {
      const { sortKeys, total } = await stage.archive.find(archiveQuery({ text: 'owned', size: 7, token }));
      expect(total).toBe(60);
      pages.push(...sortKeys.slice(0, 7));
      if (sortKeys.length <= 7) break;
    }
    expect(pages).toEqual(tasks.map(({ endedAt, id }) => endedAt + id).reverse());
  });

  it('counts up to ten thousand, and says that there are more, of which it finds the latest', async () => {
    const client = new Client({ connectionString: stage.url });
    await client.connect();
    await client.query(`INSERT INTO switchyard.tasks (id, owner_key, tenant_key, agent_key, letter, time, ended_at, words)
      SELECT 'often-' || i, 'a/b/c', 'a/', 'c', 'C', at, at, to_tsvector('simple', 'often ' || i % 2)
      FROM generate_series(1, 10001) AS i, LATERAL (SELECT 't' || lpad(i::text, 7, '0') AS at) AS timed`);
    await client.end();
    const often = (token = '') => stage.archive.find(archiveQuery({ text: 'often', size: 1, token }));
    const [last, next, third] = ['t0010001often-10001', 't0010000often-10000', 't0009999often-9999'];
    expect(await often()).toEqual({ total: 10_000, isPartial: true, sortKeys: [last, next] });
    expect(await often(last)).toEqual({ total: 10_000, isPartial: true, sortKeys: [next, third] });
    expect(await stage.archive.find(archiveQuery({ text: 'often 1', size: 0 }))).toEqual({
      total: 5_001,
      isPartial: false,
      sortKeys: [last],
    });
    await stage.archive.delete('often-1');
    expect(await often(last)).toEqual({ total: 10_000, isPartial: false, sortKeys: [next, third] });
  });

  it('does not find what was deleted or replaced', async () => {
    await stage.archive.put([archivedTask('gone', 1, { json: json(['ephemeral one']) })]);
    expect(await idsOf('ephemeral')).toEqual(['gone']);
    await stage.archive.put([archivedTask('gone', 1, { version: '8-1', json: json(['ephemeral two']) })]);
    expect(await idsOf('ephemeral one')).toEqual([]);
    expect(await idsOf('ephemeral two')).toEqual(['gone']);
    await stage.archive.delete('gone');
    expect(await idsOf('ephemeral')).toEqual([]);
  });

  it('is given up after its time, while other requests are answered', async () => {
    const slow = new PostgresArchive({ url: stage.url, timeoutMs: 2_000, onError: unexpected });
    const other = new Client({ connectionString: stage.url });
    await other.connect();
    try {
      await slow.start();
      await other.query('BEGIN; LOCK TABLE switchyard.tasks');
      const searches = Array.from({ length: 2 }, () => slow.find(archiveQuery({ text: 'invoice' })));
      await Promise.all(searches.map((search) => expect(search).rejects.toBeInstanceOf(ArchiveTooSlow)));
    } finally {
      await other.end();
      await slow.stop();
    }
    expect(await idsOf('pdf')).toEqual(['artifact']);
  });
});
