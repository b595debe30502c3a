import { ArchiveUnavailable } from '@switchyard/store';
import { ArchiveRefused } from './archive-refused.ts';
import type { ArchiveSettings, PostgresArchive } from './postgres-archive.ts';

/**
 * The archive of a program. If PostgreSQL does not answer, the program starts without it, and the archive works when it
 * does. Its library is loaded only by a program that has an archive.
 * @throws {ArchiveRefused} it answers, but cannot be used
 */
export async function openArchive(settings: ArchiveSettings): Promise<PostgresArchive> {
  const { PostgresArchive } = await import('./postgres-archive.ts');
  const archive = new PostgresArchive(settings);
  try {
    await archive.start();
  } catch (error) {
    if (error instanceof ArchiveUnavailable && !(error instanceof ArchiveRefused)) settings.onError(error);
    else {
      await archive.stop();
      throw error;
    }
  }
  return archive;
}
