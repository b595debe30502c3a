import type { FileLimits, FileStore } from './file-store.ts';
import { folderOf, LocalFiles } from './local-files.ts';

/** @throws {Error} `FILES_URL` names no folder of this machine */
export function requireFilesUrl(filesUrl: string): string {
  folderOf(filesUrl);
  return filesUrl;
}

/** The files that `FILES_URL` names. @throws {Error} as `requireFilesUrl` */
export function filesAt(filesUrl: string, limits: FileLimits): FileStore {
  return new LocalFiles(folderOf(filesUrl), limits);
}
