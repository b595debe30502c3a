import { fileURLToPath } from 'node:url';
import { bucketAt } from './bucket-url.ts';
import { FileEncryption } from './encryption.ts';
import type { FileLimits, FileStore } from './file-store.ts';
import { LocalFiles } from './local-files.ts';
import { S3Files } from './s3-files.ts';

/** @throws {Error} `FILES_URL` names no folder of this machine and no bucket */
export function requireFilesUrl(filesUrl: string): string {
  placeAt(filesUrl);
  return filesUrl;
}

interface FilesOptions extends FileLimits {
  /** See `FileEncryption`. */
  readonly secrets?: readonly string[];
}

/** The files that `FILES_URL` names. @throws {Error} as `requireFilesUrl` */
export function filesAt(filesUrl: string, { secrets, ...limits }: FilesOptions): FileStore {
  return placeAt(filesUrl)(limits, new FileEncryption(secrets));
}

function placeAt(filesUrl: string): (limits: FileLimits, encryption: FileEncryption) => FileStore {
  const url = URL.canParse(filesUrl) ? new URL(filesUrl) : undefined;
  if (url?.protocol === 's3:') {
    const place = bucketAt(url);
    // A deployment with a folder does not load the client of S3.
    const open = async () => new (await import('./bucket.ts')).Bucket(place);
    return (limits, encryption) => new S3Files(open, limits, encryption);
  }
  if (url?.protocol !== 'file:')
    throw new Error('must be the URL of a folder, such as file:///var/lib/switchyard/files, or s3://bucket/prefix');
  const folder = fileURLToPath(url);
  return (limits, encryption) => new LocalFiles(folder, limits, encryption);
}
