import type { PostgresArchive } from '@switchyard/archive/postgres-archive';
import type { Latencies } from '../statistics.ts';
import { count, markdownTable, ms } from '../tables.ts';
import { lists, longLists, measure, readList, tokenOf } from './lists.ts';

interface Sizes {
  readonly few: number;
  readonly tasks: number;
  /** Readings of each list. */
  readonly times: number;
}

const LONGEST_MS = 2_000;
/** Times in sort keys have this length. */
const TIME_LENGTH = 8;

/** p50 and p99 of all lists in two archives, in turn. */
export async function compareLists(
  { few, tasks, times }: Sizes,
  small: PostgresArchive,
  large: PostgresArchive,
): Promise<string> {
  const measured = async (read: () => Promise<unknown>): Promise<string> => {
    try {
      return text(await measure(read, { times, longestMs: LONGEST_MS }));
    } catch (error) {
      return String(error).slice(0, 60);
    }
  };
  const rows: string[][] = [];
  for (const [name, fields] of Object.entries(lists)) {
    const found = await readList(large, fields).catch(() => undefined);
    const row = [name, `${found?.isPartial ? '> ' : ''}${count(found?.total ?? Number.NaN)}`];
    for (const archive of [small, large]) row.push(await measured(() => readList(archive, fields)));
    const token = longLists.includes(name) ? await tokenOf(large, fields, 1_000) : undefined;
    row.push(token === undefined ? '' : await measured(() => readList(large, fields, token)));
    rows.push(row);
  }
  const byId = ['a task by its id', '1'];
  for (const archive of [small, large]) {
    const [sortKey = ''] = (await readList(archive, {})).sortKeys;
    byId.push(await measured(() => archive.read([sortKey.slice(TIME_LENGTH)], { contents: 'all' })));
  }
  const head = ['list', 'tasks', `of ${count(few)}`, `of ${count(tasks)}`, `of ${count(tasks)}, page 1,000`];
  return markdownTable(head, [...rows, [...byId, '']]);
}

const text = (latencies: Latencies): string => `${ms(latencies.at(50))}, ${ms(latencies.at(99))}`;
