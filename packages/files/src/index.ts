export { fileIdIn, fileIdsIn } from './file-id.ts';
export { type FileRefusal, FileRefused } from './file-refused.ts';
export {
  type ExpectedContent,
  type FileFacts,
  type FileLimits,
  type FileUpload,
  folderOf,
  LocalFiles,
  type NewFile,
  type OpenFile,
  type StoredFile,
  type SweepOptions,
} from './local-files.ts';
