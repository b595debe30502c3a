import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import type { ArchivedTask, ArchiveQuery } from '@switchyard/store';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { until } from '../../../tests/support/until.ts';
import { archivedTask, archiveQuery, timeOf, unexpected } from './support/archived-tasks.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const day = (n: number): string => timeOf(START_MS + Math.round(n * DAY_MS));
const long = 'x'.repeat(600);
const owners = [
  'acme/al/pizza',
  'acme/al/pasta',
  'acme/al0/pizza',
  `acme/al/${long}`,
  'zoo/al/pizza',
  `${long}/al/pizza`,
];

/** Two tasks each hour of thirty days. The status of some changed two days after their end. */
const taskOf = (i: number, fields: Partial<ArchivedTask> = {}): ArchivedTask => {
  const endedAt = i / 48;
  return archivedTask(`task-${i}`, 0, {
    owner: owners[(i * 7) % owners.length] ?? '',
    letter: 'CCCFXRM'[i % 7] ?? 'C',
    endedAt: day(endedAt),
    time: day(endedAt + (i % 5 === 0 ? 2 : 0)),
    ...fields,
  });
};

describe.skipIf(skippedFor(missingPostgres))('totals of the archive', () => {
  let server: TestPostgres;
  let archive: PostgresArchive;
  let client: Client;

  beforeAll(async () => {
    server = await startPostgres();
    archive = new PostgresArchive({ url: server.url, onError: unexpected });
    await archive.start();
    client = new Client({ connectionString: server.url });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await archive?.stop();
    await server?.stop();
  });

  const filters: readonly Partial<ArchiveQuery>[] = [
    {},
    { agents: ['pizza'] },
    { agents: ['pizza', 'pasta', 'pizza', long] },
    { letters: 'F' },
    { letters: 'RXRX', agents: ['pasta'] },
    { owner: 'acme/al/pizza', by: 'time' },
    { owner: `acme/al/${long}`, by: 'time' },
    { owner: 'acme/al/pizza', by: 'endedAt' },
    { owner: 'acme/al/pizza', by: 'time', agents: ['pasta'] },
    { ownerPrefix: 'acme/' },
    { ownerPrefix: `${long}/` },
    { ownerPrefix: 'acme/', by: 'time' },
    { ownerPrefix: 'acme/', agents: ['pizza'] },
    { ownerPrefix: 'acme/al/', by: 'time' },
    { ownerPrefix: 'acme/al/', by: 'time', agents: [long, 'pasta'] },
    { ownerPrefix: 'acme/al/', by: 'endedAt' },
    { ownerPrefix: `${long}/al/`, by: 'time' },
    { ownerPrefix: 'acme/al', by: 'time' },
  ];
  const times: readonly Partial<ArchiveQuery>[] = [
    {},
    { before: day(20.3) },
    { since: day(3.1) },
    { since: day(3.1), before: day(20.3) },
    { since: day(3.1), upto: day(12), before: day(20.3) },
    { since: day(3.1), upto: day(3.4) },
    { upto: day(12) },
    { upto: day(29), before: day(20.3) },
    { since: day(21), before: day(20.3) },
    { since: day(3), upto: day(3) },
    { since: `${day(4).slice(0, 3)}00000`, before: `${day(9).slice(0, 3)}00000` },
  ];

  /** Of all searches, and that each count is that of the rows. */
  async function expectExact(tasks: readonly ArchivedTask[]): Promise<void> {
    for (const filter of filters)
      for (const time of times) {
        const query = archiveQuery({ letters: 'CFXR', size: 2_000, ...filter, ...time });
        const { total, sortKeys } = await archive.find(query);
        expect(total, JSON.stringify({ ...filter, ...time }).slice(0, 300)).toBe(matching(tasks, query));
        expect(sortKeys.length).toBe(total);
      }
    const { rows } = await client.query(`
      SELECT FROM switchyard.counts FULL JOIN (
        SELECT scope, agent_key, left(at, 3) AS bucket, letter, count(*) AS tasks FROM switchyard.tasks,
          LATERAL (VALUES ('o' || owner_key, time), ('t' || tenant_key, ended_at), ('a', ended_at)) AS counted (scope, at)
        WHERE letter IS NOT NULL GROUP BY 1, 2, 3, 4
      ) AS found USING (scope, agent_key, bucket, letter)
      WHERE coalesce(counts.tasks, 0) <> coalesce(found.tasks, 0)`);
    expect(rows).toEqual([]);
    expect((await archive.status()).tasks).toBe(tasks.length);
  }

  it('are exact after copies, replacements, deletions and the retention, for all searches', async () => {
    const tasks = new Map(Array.from({ length: 1_440 }, (_, i) => [i, taskOf(i)]));
    const put = (numbers: readonly number[], fields: (i: number) => Partial<ArchivedTask>) => {
      const changed = numbers.map((i) => taskOf(i, fields(i)));
      return archive.put(changed).then(() => changed.forEach((task, at) => void tasks.set(numbers[at] ?? 0, task)));
    };
    await archive.put([...tasks.values()]);
    await expectExact([...tasks.values()]);
    // The same copies, and older ones, change nothing.
    await archive.put([...tasks.values()].slice(0, 100));
    await archive.put([taskOf(5, { version: '6-1', letter: 'R' })]);
    await put([1, 700, 1_400, 2_000], (i) => ({
      version: '8-1',
      letter: 'F',
      time: day(i / 50),
      owner: 'zoo/al/pizza',
    }));
    for (const i of [3, 4, 800]) {
      expect(await archive.delete(`task-${i}`)).toBe(true);
      expect(await archive.delete(`task-${i}`)).toBe(false);
      tasks.delete(i);
    }
    await archive.delete('unknown');
    await archive.put([taskOf(3, { version: '9-1' })]);
    await expectExact([...tasks.values()]);
    const gone = [...tasks].filter(([, { endedAt }]) => endedAt < day(6.5)).map(([i]) => i);
    expect(await archive.expire(day(6.5), 1_000)).toBe(gone.length);
    for (const i of gone) tasks.delete(i);
    await expectExact([...tasks.values()]);
    const { rows } = await client.query("SELECT FROM switchyard.counts WHERE tasks = 0 AND scope = 'a'");
    expect(rows.length).toBeLessThan(20);
  });

  it('are exact again once they are counted again, also while processes write', async () => {
    await client.query('TRUNCATE switchyard.tasks; TRUNCATE switchyard.counts');
    const tasks = Array.from({ length: 400 }, (_, i) => taskOf(i));
    const [known, others] = [tasks.slice(0, 200), tasks.slice(200)];
    await archive.put(known);
    await archive.delete('task-7');
    await client.query('UPDATE switchyard.counts SET tasks = 2 * tasks');
    expect((await archive.status()).tasks).toBe(2 * 199);
    await Promise.all([archive.recount(), ...others.map((task) => archive.put([task]))]);
    await expectExact(tasks.filter(({ id }) => id !== 'task-7'));
  });

  it('are exact after two processes have counted again at the same time', async () => {
    await client.query('TRUNCATE switchyard.tasks; TRUNCATE switchyard.counts');
    const tasks = Array.from({ length: 200 }, (_, i) => taskOf(i));
    await archive.put(tasks);
    await client.query("DELETE FROM switchyard.counts WHERE letter = 'F'");
    await client.query('UPDATE switchyard.counts SET tasks = 2 * tasks');
    // Both wait until a transaction that wrote has ended.
    await client.query('BEGIN; LOCK TABLE switchyard.counts IN ACCESS EXCLUSIVE MODE');
    const other = new PostgresArchive({ url: server.url, onError: unexpected });
    const counting = [archive.recount(), other.recount(), other.recount()];
    const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'switchyard.counts'::regclass";
    await until(async () => (await client.query(waiting)).rowCount === 2, { what: 'both wait' });
    await client.query('COMMIT');
    await Promise.all(counting);
    await other.stop();
    await expectExact(tasks);
  });

  it('are counted again while a transaction writes, and others write meanwhile', async () => {
    await client.query('TRUNCATE switchyard.tasks; TRUNCATE switchyard.counts');
    const tasks = Array.from({ length: 100 }, (_, i) => taskOf(i));
    await archive.put(tasks.slice(0, 98));
    await client.query('UPDATE switchyard.counts SET tasks = 2 * tasks');
    // What counts waits for nobody who writes, and nobody waits for it: else this would never end.
    await client.query('BEGIN; LOCK TABLE switchyard.tasks IN ROW EXCLUSIVE MODE');
    await archive.recount();
    await client.query('COMMIT; BEGIN; LOCK TABLE switchyard.counts IN SHARE UPDATE EXCLUSIVE MODE');
    const counting = archive.recount();
    await archive.put(tasks.slice(98));
    await client.query('COMMIT');
    await counting;
    await expectExact(tasks);
  });

  it('are exact after processes have put and deleted the same tasks at the same time', async () => {
    await client.query('TRUNCATE switchyard.tasks, switchyard.counts');
    const processes = Array.from({ length: 4 }, () => new PostgresArchive({ url: server.url, onError: unexpected }));
    const some = Array.from({ length: 60 }, (_, i) => taskOf(i));
    await Promise.all(
      processes.map(async (process, n) => {
        for (let round = 0; round < 5; round += 1) {
          const version = `${round}-1`;
          await process.put(some.map((task) => ({ ...task, version, letter: 'CF'[(n + round) % 2] ?? 'C' })));
          await process.delete(`task-${n * 7 + round}`);
        }
        await process.stop();
      }),
    );
    const { rows } = await client.query<{ id: string; letter: string }>(
      'SELECT id, letter FROM switchyard.tasks WHERE letter IS NOT NULL',
    );
    const letters = new Map(rows.map(({ id, letter }) => [id, letter]));
    await expectExact(
      some.flatMap((task) => (letters.has(task.id) ? { ...task, letter: letters.get(task.id) ?? '' } : [])),
    );
  });
});

/** The same search, in words. */
function matching(tasks: readonly ArchivedTask[], query: ArchiveQuery): number {
  const { owner, ownerPrefix = '', agents, letters, by, since, upto, before } = query;
  return tasks
    .filter((task) => owner === undefined || task.owner === owner)
    .filter((task) => task.owner.startsWith(ownerPrefix))
    .filter((task) => agents === undefined || agents.includes(task.agent))
    .filter((task) => letters.includes(task.letter))
    .filter((task) => task[by] >= since && (upto === '' || task[by] <= upto) && (before === '' || task[by] < before))
    .length;
}
