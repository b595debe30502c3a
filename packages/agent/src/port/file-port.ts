import type { Part } from '@switchyard/protocol';

/** A file that is being read. */
export interface FileContent {
  /** Its bytes. Read them to the end, or cancel the stream. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly filename?: string | undefined;
  readonly mediaType?: string | undefined;
  /** Unset: not known before the end. */
  readonly sizeBytes?: number | undefined;
}

/** What a new file is called. */
export interface FileOptions {
  /** The file's name, for the client: `report.pdf`. */
  readonly name?: string;
  /** Default: `application/octet-stream`. */
  readonly mediaType?: string;
}

/** A file that is read, and what its part calls it. */
export interface FileAtUrl {
  readonly url: string;
  readonly filename?: string | undefined;
}

/** Content outside of tasks. */
export interface FilePort {
  /**
   * Opens what a URL names: a file of the turn's principal, or a resource of anybody at an allowed address.
   * @throws {RetryableError} it cannot be read now. @throws {AgentError} it does not exist, or may not be read
   */
  open(file: FileAtUrl, signal: AbortSignal): Promise<FileContent>;
  /** Opens a file of the turn's principal. Undefined: the URL is that of something else. */
  openStored(url: string): Promise<FileContent | undefined>;
  /**
   * Parts with what they had as `raw` before it was moved into files of this deployment, up to a limit. Unset: nothing
   * is moved.
   * @returns undefined: they have all that they had. @throws as `open`
   */
  restoreRaw?(parts: readonly Part[]): Promise<Part[]> | undefined;
  /**
   * Stores a file of the turn's principal, which lives as long as the turn's task. Nothing is left of content that
   * breaks off.
   * @returns its part, with a URL
   * @throws {TurnMisuseError} files are off, or it is too large. @throws {RetryableError} the store is full
   */
  write(content: AsyncIterable<Uint8Array>, options: FileOptions): Promise<Part>;
}
