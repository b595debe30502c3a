import type { ArchivedTask, ArchiveQuery } from '@switchyard/store';

/** A task that ended at a time. @param ms since 1970; small numbers will do */
export function archivedTask(id: string, ms: number, fields: Partial<ArchivedTask> = {}): ArchivedTask {
  const owner = fields.owner ?? 'acme/al/pizza';
  return {
    id,
    owner,
    agent: owner.slice(owner.lastIndexOf('/') + 1),
    context: 'dinner',
    letter: 'C',
    time: timeOf(ms),
    endedAt: timeOf(ms),
    version: '7-1',
    answered: 1,
    json: { head: `{"id":${JSON.stringify(id)}`, artifacts: ',"artifacts":[1]', history: ['"a"', '"b"'], tail: '}' },
    row: `{"row":${JSON.stringify(id)}}`,
    detail: `{"detail":${JSON.stringify(id)}}`,
    origin: `["${owner}"]`,
    ...fields,
  };
}

/** As in indexes: see `sortableTime`. */
export function timeOf(ms: number): string {
  return ms.toString(36).padStart(8, '0');
}

export function archiveQuery(fields: Partial<ArchiveQuery> = {}): ArchiveQuery {
  return { letters: 'CFXR', by: 'endedAt', since: '', upto: '', before: '', token: '', size: 100, ...fields };
}

/** For `onError`, where none must come. */
export function unexpected(error: Error): never {
  throw error;
}
