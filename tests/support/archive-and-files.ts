import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startPostgres } from './postgres.ts';

/** About the least that workers accept with an archive. */
export const RETENTION_MS = 31_000;

/** A PostgreSQL for ended tasks, and a folder for files: of a deployment whose Redis forgets tasks soon. */
export interface ArchiveAndFiles extends AsyncDisposable {
  /** Settings of gateways and workers. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startArchiveAndFiles(): Promise<ArchiveAndFiles> {
  await using owned = new AsyncDisposableStack();
  const postgres = owned.adopt(await startPostgres(), (each) => each.stop());
  const folder = owned.adopt(await mkdtemp(join(tmpdir(), 'switchyard-files-')), (path) =>
    rm(path, { recursive: true }),
  );
  const kept = owned.move();
  return {
    env: {
      ARCHIVE_URL: postgres.url,
      ARCHIVE_AFTER_MS: '1',
      RETENTION_MS: String(RETENTION_MS),
      FILES_URL: pathToFileURL(folder).href,
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
