import type { ArchiveStatus } from '@switchyard/operator-api';
import type { ArchiveCheck, CheckProgress, Ops } from '@switchyard/operators';
import { A2AError } from '@switchyard/protocol';
import { ArchiveUnavailable } from '@switchyard/store';
import type { z } from 'zod';
import type { StreamItem } from '../operations/operation.ts';
import { archiveCheckParameters, noParameters, recopyParameters } from './parameters.ts';
import { adminAction, adminRoute, EventsAnswer, requirePageToken } from './route.ts';

/** Ended tasks outside of Redis: what there is, and whether it is what Redis has. */
export const archiveRoutes = [
  adminRoute(
    ['get', '/admin/archive'],
    noParameters,
    async ({ ops }): Promise<ArchiveStatus> => (ops.archiver ? { archive: await ops.archiver.status() } : {}),
  ),
  adminRoute(['get', '/admin/archive\\:verify'], archiveCheckParameters, ({ ops }, { parameters }) =>
    checked(ops, { ...parameters, isRepair: false }),
  ),
  adminRoute(['post', '/admin/archive\\:repair'], archiveCheckParameters, ({ ops }, { parameters }) =>
    checked(ops, { ...parameters, isRepair: true }),
  ),
  adminRoute(['post', '/admin/archive\\:recopy'], recopyParameters, async ({ ops }, { parameters }) => {
    await there(ops.archiver).recopy(parameters.since);
    return undefined;
  }),
  adminAction(['post', '/admin/archive\\:forget'], async ({ ops }) => {
    if (ops.archiver) throw new A2AError('Conflict', 'This gateway has an archive: take ARCHIVE_URL away first');
    await ops.forgetArchive();
    return undefined;
  }),
];

function there<T>(archive: T | undefined): T {
  if (archive === undefined) throw new A2AError('NotFound', 'There is no archive: ARCHIVE_URL is not set');
  return archive;
}

interface Check extends z.output<typeof archiveCheckParameters> {
  readonly isRepair: boolean;
}

/** The first event is awaited, so that its errors have their status. */
async function checked({ archiveCheck }: Ops, check: Check): Promise<EventsAnswer> {
  const leaving = new AbortController();
  const events = there(archiveCheck).run(check, leaving.signal);
  const first = await requirePageToken(() => events.next());
  return new EventsAnswer((signal) => progressOf({ first, events, leaving }, signal));
}

interface Started {
  readonly first: IteratorResult<CheckProgress, void>;
  readonly events: ReturnType<ArchiveCheck['run']>;
  readonly leaving: AbortController;
}

/** It ends without `isDone` when the archive is away: its reader asks again from the last position. */
async function* progressOf({ first, events, leaving }: Started, signal: AbortSignal): AsyncGenerator<StreamItem, void> {
  signal.addEventListener('abort', () => leaving.abort(), { once: true });
  try {
    for (let [seq, next] = [1, first]; !next.done; seq += 1, next = await events.next())
      yield { seq, json: JSON.stringify(next.value) };
  } catch (error) {
    if (!(error instanceof ArchiveUnavailable)) throw error;
  } finally {
    await events.return();
  }
}
