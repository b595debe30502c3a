import type { ArchivedTask, ArchiveQuery } from '@switchyard/store';
import { describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres } from '../../../tests/support/postgres.ts';
import { archivedTask, archiveQuery, timeOf } from './support/archived-tasks.ts';
import { useArchive } from './support/use-archive.ts';

const owners = ['acme/al/pizza', 'acme/al/pasta', 'acme/bo/pizza', 'zoo/al/pizza'];
/** Each seventh ends in the same millisecond as the six before. */
const tasks = Array.from({ length: 200 }, (_, i): ArchivedTask => {
  const ms = 1_000 + Math.floor(i / 7);
  return archivedTask(`task-${(i * 37) % 200}`, ms, {
    owner: owners[i % owners.length] ?? '',
    context: i % 3 ? 'dinner' : 'lunch',
    letter: 'CFXRM'[i % 5] ?? 'C',
    // The status of some changed after the end.
    time: timeOf(ms + (i % 2) * 5),
  });
});

describe.skipIf(skippedFor(missingPostgres))('a search in the archive', () => {
  const stage = useArchive(tasks);

  const searches: Readonly<Record<string, Partial<ArchiveQuery>>> = {
    'all tasks': {},
    'an owner': { owner: 'acme/al/pizza', by: 'time' },
    'a context of an owner': { owner: 'acme/al/pizza', context: 'lunch', by: 'time' },
    'a context': { context: 'lunch' },
    'an agent': { agents: ['pizza'] },
    'several agents': { agents: ['pizza', 'pasta', 'nobody'] },
    'an agent of a tenant': { agents: ['pizza', 'pasta'], ownerPrefix: 'acme/' },
    'a tenant': { ownerPrefix: 'acme/' },
    'a principal': { ownerPrefix: 'acme/al/' },
    'any beginning': { ownerPrefix: 'acme/al/pi' },
    'some states': { letters: 'FM', agents: ['pizza', 'pasta'] },
    'no state': { letters: '' },
    'a time, inclusive': { since: timeOf(1_004), upto: timeOf(1_020), by: 'time' },
    'what Redis does not list, exclusive': { before: timeOf(1_010), ownerPrefix: 'zoo/' },
    'the end, not the status': { upto: timeOf(1_003) },
  };

  it.each(Object.entries(searches))('finds %s, the latest first, page by page', async (_, fields) => {
    const query = archiveQuery({ size: 7, ...fields });
    const expected = matching(query);
    const found: string[] = [];
    for (;;) {
      const page = await stage.archive.find({ ...query, token: found.at(-1) ?? '' });
      expect(page.total).toBe(expected.length);
      expect(page.sortKeys.length).toBeLessThanOrEqual(query.size + 1);
      found.push(...page.sortKeys.slice(0, query.size));
      if (page.sortKeys.length <= query.size) break;
    }
    expect(found).toEqual(expected);
  });

  it('goes on behind a task that it does not have, such as one that Redis listed', async () => {
    const page = await stage.archive.find(archiveQuery({ token: `${timeOf(1_003)}task-`, size: 500 }));
    expect(page.total).toBe(matching(archiveQuery()).length);
    expect(page.sortKeys).toEqual(matching(archiveQuery()).filter((sortKey) => sortKey < `${timeOf(1_003)}task-`));
  });

  it.each([0, 1])('has no surprises with a page of %i', async (size) => {
    expect((await stage.archive.find(archiveQuery({ size }))).sortKeys).toEqual(
      matching(archiveQuery()).slice(0, size + 1),
    );
  });
});

/** The same search, in words. */
function matching({ owner, ownerPrefix, agents, context, letters, by, since, upto, before }: ArchiveQuery): string[] {
  return tasks
    .filter((task) => owner === undefined || task.owner === owner)
    .filter((task) => ownerPrefix === undefined || task.owner.startsWith(ownerPrefix))
    .filter((task) => agents === undefined || agents.includes(task.agent))
    .filter((task) => context === undefined || task.context === context)
    .filter((task) => letters.includes(task.letter))
    .filter((task) => task[by] >= since && (upto === '' || task[by] <= upto) && (before === '' || task[by] < before))
    .map((task) => task[by] + task.id)
    .sort()
    .reverse();
}
