import { setTimeout as delay } from 'node:timers/promises';
import type { ArchiveRecount, ArchiveStatus } from '@switchyard/operator-api';
import { A2AError } from '@switchyard/protocol';
import type { z } from 'zod';
import { archiveCheckParameters, noParameters, recopyParameters } from './parameters.ts';
import { progressAnswer } from './progress.ts';
import { type AdminBackend, adminAction, adminRoute, type EventsAnswer } from './route.ts';

/** Ended tasks outside of Redis: what there is, and whether it is what Redis has. */
export const archiveRoutes = [
  adminRoute(
    ['get', '/admin/archive'],
    noParameters,
    async ({ ops }): Promise<ArchiveStatus> => (ops.archiver ? { archive: await ops.archiver.status() } : {}),
  ),
  adminRoute(['get', '/admin/archive\\:verify'], archiveCheckParameters, async (backend, { parameters }) =>
    checked(backend, { ...parameters, isRepair: false }),
  ),
  adminRoute(['post', '/admin/archive\\:repair'], archiveCheckParameters, async (backend, { parameters }) =>
    checked(backend, { ...parameters, isRepair: true }),
  ),
  adminRoute(['post', '/admin/archive\\:recopy'], recopyParameters, async ({ ops }, { parameters }) => {
    await there(ops.archiver).recopy(parameters.since);
    return undefined;
  }),
  adminAction(['post', '/admin/archive\\:recount'], async ({ ops }) => {
    const archiver = there(ops.archiver);
    return progressAnswer((signal) => recounted(archiver.recount(), signal));
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

/** Between two events of a long action. */
const EVERY_MS = 1_000;

/** Says again and again that it goes on, so that nobody in between gives up. It also goes on without a reader. */
async function* recounted(recount: Promise<void>, signal: AbortSignal): AsyncGenerator<ArchiveRecount, void> {
  const done = recount.then(() => true);
  done.catch(() => undefined);
  for (let isDone = false; !isDone && !signal.aborted; ) {
    isDone = await Promise.race([done, delay(EVERY_MS, false, { signal, ref: false }).catch(() => false)]);
    yield { isDone };
  }
}

interface Check extends z.output<typeof archiveCheckParameters> {
  readonly isRepair: boolean;
}

/** @throws {A2AError} */
function checked({ ops, deployment }: AdminBackend, check: Check): Promise<EventsAnswer> {
  const begin = there(ops.archiveCheck);
  return progressAnswer((signal) => begin.run(check, signal), deployment);
}
