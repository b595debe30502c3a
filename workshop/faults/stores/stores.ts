import { missingPostgres } from '../../../tests/support/postgres.ts';
import { missingS3 } from '../../../tests/support/s3-server.ts';
import { type Archive, startArchive } from './archive.ts';
import { type Bucket, startBucket } from './bucket.ts';

/** Where a deployment keeps what Redis does not. */
export interface Stores extends AsyncDisposable {
  readonly archive: Archive;
  readonly bucket: Bucket;
}

/** For `skippedFor`; undefined: both can be started. */
export const missingStores = (): string | undefined => missingPostgres ?? missingS3();

export async function startStores(): Promise<Stores> {
  await using owned = new AsyncDisposableStack();
  const archive = owned.use(await startArchive());
  const bucket = owned.use(await startBucket());
  const kept = owned.move();
  return { archive, bucket, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
