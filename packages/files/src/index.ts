export { fileIdIn, fileIdsIn, RAW_IN_URL } from './file-id.ts';
export { type FileRefusal, FileRefused } from './file-refused.ts';
export {
  type FileFacts,
  type FileLimits,
  type FileStore,
  keepFilesOf,
  type OpenFile,
  type StoredFile,
  type Volume,
} from './file-store.ts';
export { filesAt, requireFilesUrl } from './files-url.ts';
export { free } from './free.ts';
export { LocalFiles } from './local-files.ts';
export { hasLargeRaw, moveRaw, rawBytesIn, readRaw } from './raw-parts.ts';
export type { Keeper, SweepOptions } from './sweep.ts';
