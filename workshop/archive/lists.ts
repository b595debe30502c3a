import type { PostgresArchive } from '@switchyard/archive/postgres-archive';
import type { ArchivePage, ArchiveQuery } from '@switchyard/store';
import { Latencies } from '../statistics.ts';

const PAGE = 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const sortable = (ms: number): string => Math.floor(ms).toString(36).padStart(8, '0');
const allAgents = Array.from({ length: 14 }, (_, i) => `agent${i}`);

/** Redis lists what is younger. */
const before = sortable(Date.now() - 6 * HOUR_MS);
const ago = (ms: number): string => sortable(Date.now() - ms);

/** What clients and operators look for in an archive of fill.ts. */
export const lists: Readonly<Record<string, Partial<ArchiveQuery>>> = {
  'a principal at an agent, a tenth of the tasks': { owner: 'acme/al/agent0', by: 'time' },
  'the same, failed ones': { owner: 'acme/al/agent0', by: 'time', letters: 'F' },
  'a principal with few tasks': { owner: 't7/p1007/agent0', by: 'time' },
  'operators: all tasks': {},
  'operators: all tasks, each agent named': { agents: allAgents },
  'operators: an agent, a third': { agents: ['agent0'] },
  'operators: an agent, rejected (1 of 400)': { agents: ['agent0'], letters: 'R' },
  'operators: a state that no task has': { letters: 'Y' },
  'operators: a tenant, a tenth': { ownerPrefix: 'acme/' },
  'operators: a tenant at an agent': { ownerPrefix: 't8/', agents: ['agent3'] },
  'operators: a principal, a tenth': { ownerPrefix: 'acme/al/', by: 'time' },
  'operators: a day, half a year ago': { since: ago(183 * DAY_MS), upto: ago(182 * DAY_MS) },
  'operators: the last half year': { since: ago(183 * DAY_MS) },
  'text: a word of one task': { text: 'n5000' },
  'text: a word of 1 in 300 tasks': { text: 'w2000' },
  'text: a word of 1 in 10 tasks': { text: 'w60' },
  'text: a word of all tasks': { text: 'look' },
  'text: two words in this order': { text: '"w1 w2"' },
  'text: a word of 1 in 10, an agent, a month': { text: 'w60', agents: ['agent3'], since: ago(30 * DAY_MS) },
};

/** Lists that are read far behind their beginning, too. */
export const longLists = [
  'a principal at an agent, a tenth of the tasks',
  'operators: all tasks',
  'operators: an agent, a third',
  'operators: a tenant, a tenth',
];

export function readList(archive: PostgresArchive, fields: Partial<ArchiveQuery>, token = ''): Promise<ArchivePage> {
  const isText = fields.text !== undefined;
  const common = { letters: 'CFXR', since: '', upto: '', before: isText ? '' : before, size: PAGE };
  return archive.find({ ...common, by: 'endedAt', ...fields, token });
}

/** The last sort key before a page, from 1. @returns undefined: the list is shorter */
export async function tokenOf(
  archive: PostgresArchive,
  fields: Partial<ArchiveQuery>,
  page: number,
): Promise<string | undefined> {
  const size = (page - 1) * PAGE;
  const { sortKeys } = await archive.find({
    ...{ letters: 'CFXR', since: '', upto: '', before, by: 'endedAt', ...fields },
    token: '',
    size,
  });
  return sortKeys.length > size ? sortKeys[size - 1] : undefined;
}

/** Until there are enough readings, or it takes too long. */
export async function measure(read: () => Promise<unknown>, { times, longestMs }: Measurement): Promise<Latencies> {
  const latencies = new Latencies();
  const begun = performance.now();
  await read();
  while (latencies.count < times && performance.now() - begun < longestMs) {
    const from = performance.now();
    await read();
    latencies.add(performance.now() - from);
  }
  return latencies;
}

export interface Measurement {
  readonly times: number;
  readonly longestMs: number;
}
