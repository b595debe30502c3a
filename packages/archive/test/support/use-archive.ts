import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import type { ArchivedTask } from '@switchyard/store';
import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../../tests/support/postgres.ts';
import { unexpected } from './archived-tasks.ts';

interface ArchiveStage {
  readonly archive: PostgresArchive;
  readonly url: string;
}

/** An archive on a PostgreSQL of its own, for the tests of a `describe`. @param tasks that it has */
export function useArchive(tasks: readonly ArchivedTask[] = []): ArchiveStage {
  let server: TestPostgres;
  let archive: PostgresArchive;
  beforeAll(async () => {
    server = await startPostgres();
    archive = new PostgresArchive({ url: server.url, onError: unexpected });
    await archive.start();
    await archive.put(tasks);
  });
  afterAll(async () => {
    await archive?.stop();
    await server?.stop();
  });
  return {
    get archive() {
      return archive;
    },
    get url() {
      return server.url;
    },
  };
}
