export { fileIdIn, fileIdsIn } from './file-id.ts';
export { type FileRefusal, FileRefused } from './file-refused.ts';
export { folderOf } from './folder-of.ts';
export {
  type ExpectedContent,
  type FileFacts,
  type FileLimits,
  type FileUpload,
  LocalFiles,
  type NewFile,
  type OpenFile,
  type StoredFile,
  type SweepOptions,
} from './local-files.ts';
