import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { Client } from 'pg';
import { startPostgres } from '../../tests/support/postgres.ts';
import { count, readCommandLine } from '../options.ts';
import { count as counted } from '../tables.ts';
import { compareLists } from './compare.ts';
import { copyingSpeed } from './copying.ts';
import { deleteOldest } from './delete-oldest.ts';
import { fill } from './fill.ts';

const { tasks, few, times, months } = readCommandLine({
  usage: `npm run workshop archive [-- options]
  Fills two archives with tasks of a year, reads lists and searches of both, p50 and p99 in turn, and deletes the oldest
  months of the larger one beside readers. PostgreSQL has a cache of 1 GB, and all files in memory.`,
  options: {
    tasks: count('tasks of the larger archive', '2000000', ['1000', '50000000']),
    few: count('tasks of the smaller archive', '10000', ['1000', '1000000']),
    times: count('readings of each list, in at most two seconds', '200'),
    months: count('months to delete', '1', ['0', '12']),
  },
}).options;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const seconds = (from: number): string => `${((performance.now() - from) / 1_000).toFixed(1)} s`;

await using parts = new AsyncDisposableStack();
const settings = {
  shared_buffers: '1GB',
  maintenance_work_mem: '1GB',
  max_wal_size: '16GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
};
const server = parts.adopt(await startPostgres({ settings }), ({ stop }) => stop());
const client = parts.adopt(new Client({ connectionString: server.url }), (each) => each.end());
await client.connect();

/** Its tables are those of the migrations. */
async function openFilled(schema: string, size: number): Promise<PostgresArchive> {
  const from = performance.now();
  const archive = parts.adopt(
    new PostgresArchive({ url: server.url, schema, onError: (error) => print(String(error)) }),
    (each) => each.stop(),
  );
  await archive.start();
  await fill(client, { schema, tasks: size });
  const { rows } = await client.query<{ relname: string; bytes: number }>(
    `SELECT relname, (CASE relkind WHEN 'r' THEN pg_table_size(oid) ELSE pg_relation_size(oid) END)::float8 AS bytes
     FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'i') ORDER BY 2 DESC`,
    [schema],
  );
  const sizes = rows.map(({ relname, bytes }) => `${relname} ${counted(bytes / size)}`);
  print(`${counted(size)} tasks in ${seconds(from)}; bytes a task: ${sizes.join(', ')}`);
  return archive;
}

const copies = parts.adopt(
  new PostgresArchive({ url: server.url, schema: 'copies', onError: (error) => print(String(error)) }),
  (each) => each.stop(),
);
print(await copyingSpeed(copies, client, 'copies'));
const small = await openFilled('few', few);
const large = await openFilled('many', tasks);
print(await compareLists({ few, tasks, times }, small, large));
if (months > 0) print(await deleteOldest(large, { tasks, months }));
