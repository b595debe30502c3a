import type { Content } from './durable.ts';
import { fileIdsIn } from './file-id.ts';
import type { Range } from './plain-content.ts';
import type { CountedFiles, Keeper, SweepOptions, SweepResult } from './sweep.ts';

export interface FileLimits {
  /** Largest file, in bytes. */
  readonly maxFileBytes: number;
  /** Bytes of all files of a principal, with those that are being uploaded. */
  readonly maxBytesPerPrincipal: number;
}

/** What is known of a file besides its content. */
export interface FileFacts {
  readonly filename?: string;
  readonly mediaType: string;
  /** Id of the agent that has written it; unset: a client has uploaded it. */
  readonly agent?: string;
}

export interface StoredFile extends FileFacts {
  readonly id: string;
  readonly sizeBytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** What the sender says of the content. */
export interface ExpectedContent {
  readonly sizeBytes?: number | undefined;
  /** In hexadecimal digits. */
  readonly sha256?: string | undefined;
}

/** A file to store. */
export interface NewFile {
  readonly facts: FileFacts;
  readonly expected?: ExpectedContent;
  /** Unset: nobody does yet. */
  readonly keeper?: Keeper;
}

/** What a part had as `raw`. */
export interface RawContent {
  readonly facts: FileFacts;
  readonly bytes: Uint8Array;
  readonly keeper: Keeper;
}

/** A file that is uploaded in pieces. */
export interface FileUpload {
  readonly id: string;
  readonly sizeBytes: number;
  /** Bytes that are stored so far. */
  readonly offset: number;
  readonly facts: FileFacts;
}

/** A file to read from. Close it afterwards. */
export interface OpenFile {
  readonly file: StoredFile;
  /** Each chunk is valid until the next one is asked for. @param range first and last byte; unset: all */
  chunks(range?: Range): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Bytes of a volume. */
export interface Volume {
  readonly used: number;
  /** With those that can still be written. */
  readonly max: number;
}

/** The place where files are, for operators. */
export interface FilesStatus {
  readonly place: string;
  /** Whether new files are. */
  readonly isEncrypted: boolean;
  /** Why nothing can be written there. */
  readonly problem?: string | undefined;
  /** Unset: no sweep has counted them yet. */
  readonly stored?: CountedFiles | undefined;
  /** Unset: a bucket has none. */
  readonly volume?: Volume | undefined;
}

/** What gateways and workers need of the place where files are. */
export interface FileStore {
  readonly limits: FileLimits;
  /** Rejects if nothing can be written there. */
  start(): Promise<void>;
  /** Stores the content as a new file. @throws {FileRefused} nothing of it is visible; and what the content throws */
  write(owner: string, content: Content, file: NewFile): Promise<StoredFile>;
  /**
   * Stores what a part had as `raw`, and keeps it as long as the task exists: the same bytes of the same principal, and
   * of the same agent, once.
   * @returns its id @throws {FileRefused}
   */
  writeRaw(owner: string, content: RawContent): Promise<string>;
  /** Begins a file that is uploaded in pieces. @returns its id @throws {FileRefused} */
  begin(owner: string, facts: FileFacts, sizeBytes: number): Promise<string>;
  /** An upload, also one that is complete; undefined: there is none with this id. */
  upload(owner: string, id: string): Promise<FileUpload | undefined>;
  /** Adds to an upload. @returns the bytes that are stored then @throws {FileRefused} */
  append(owner: string, id: string, piece: { offset: number; content: Content }): Promise<number>;
  find(owner: string, id: string): Promise<StoredFile | undefined>;
  open(owner: string, id: string): Promise<OpenFile | undefined>;
  /** Keeps a file as long as the task exists. @returns false: the principal has no such file */
  keepFor(owner: string, id: string, keeper: Keeper): Promise<boolean>;
  /** Undoes `keepFor`, for a task that was not made, or a message that was refused. */
  release(owner: string, id: string, keeper: Keeper): Promise<void>;
  /** Removes a file or an upload, whatever refers to it. @returns false: there is none */
  delete(owner: string, id: string): Promise<boolean>;
  /** Removes files whose tasks are gone, and uploads that nobody has completed. */
  sweep(options: SweepOptions): Promise<SweepResult>;
  /** Tries to write there, as `start` does. Does not reject: the status has the problem. */
  status(): Promise<FilesStatus>;
  /** Undefined: a bucket has none. */
  volume(): Promise<Volume | undefined>;
}

/** Keeps the files that the parts refer to as long as the task exists. Undefined: there are none. */
export function keepFilesOf(
  files: Pick<FileStore, 'keepFor'> | undefined,
  { owner, parts, taskId }: { owner: string; parts: readonly { readonly url?: string | undefined }[]; taskId: string },
): Promise<void> | undefined {
  const ids = files ? fileIdsIn(parts) : [];
  if (!files || ids.length === 0) return undefined;
  return Promise.all(ids.map((id) => files.keepFor(owner, id, { taskId }))).then(() => undefined);
}
