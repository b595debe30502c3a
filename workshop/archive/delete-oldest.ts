import type { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { Latencies } from '../statistics.ts';
import { count, markdownTable, ms } from '../tables.ts';
import { YEAR_MS } from './fill.ts';
import { lists, readList } from './lists.ts';

/** As the archiver does it: see `Archiver.expire`. */
const DELETED_AT_ONCE = 1_000;
const BEFORE_MS = 5_000;

const read = [
  'a principal at an agent, a tenth of the tasks',
  'operators: all tasks',
  'operators: a tenant, a tenth',
  'text: a word of 1 in 300 tasks',
];

/** Deletes the first months of an archive of fill.ts in batches, and reads lists before, meanwhile and afterwards. */
export async function deleteOldest(
  archive: PostgresArchive,
  { tasks, months }: { readonly tasks: number; readonly months: number },
): Promise<string> {
  const before = Math.floor(Date.now() - YEAR_MS + (YEAR_MS / 12) * months).toString(36);
  const idle = () => new Promise<void>((resolve) => setTimeout(resolve, BEFORE_MS));
  const without = await readWhile(archive, idle());
  const batches = new Latencies();
  const begun = performance.now();
  let deleted = 0;
  const deletion = async (): Promise<void> => {
    for (let step = DELETED_AT_ONCE; step === DELETED_AT_ONCE; deleted += step) {
      const from = performance.now();
      step = await archive.expire(before, DELETED_AT_ONCE);
      batches.add(performance.now() - from);
    }
  };
  const beside = await readWhile(archive, deletion());
  const seconds = (performance.now() - begun) / 1_000;
  const after = await readWhile(archive, idle());
  const text = (latencies?: Latencies): string => `${ms(latencies?.at(50))}, ${ms(latencies?.at(99))}`;
  return [
    `${count(deleted)} of ${count(tasks)} tasks deleted in ${seconds.toFixed(1)} s beside a reader, in batches of ${count(
      DELETED_AT_ONCE,
    )} that took ${text(batches)}`,
    markdownTable(
      ['list', 'before', 'meanwhile', 'afterwards'],
      read.map((name) => [name, text(without.get(name)), text(beside.get(name)), text(after.get(name))]),
    ),
  ].join('\n\n');
}

/** One reader, who reads one list after the other. */
async function readWhile(archive: PostgresArchive, work: Promise<void>): Promise<ReadonlyMap<string, Latencies>> {
  const latencies = new Map(read.map((name) => [name, new Latencies()]));
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  while (!isOver)
    for (const [name, each] of latencies) {
      const from = performance.now();
      await readList(archive, lists[name] ?? {});
      each.add(performance.now() - from);
    }
  await done;
  return latencies;
}
