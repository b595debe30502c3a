/**
 * - `too-large`: the file is larger than MAX_FILE_BYTES. `over-quota`: the principal has MAX_FILE_BYTES_PER_PRINCIPAL.
 * - `store-full`: the disk is. `unavailable`: the bucket is, for now; the cause says why.
 * - `incomplete`, `too-long`: the content has fewer or more bytes than were announced. `wrong-digest`: it has others.
 * - `wrong-offset`: the upload has another number of bytes so far. `busy`: another request writes it.
 * - `damaged`: an encrypted file was changed since it was stored.
 */
export type FileRefusal =
  | 'too-large'
  | 'over-quota'
  | 'store-full'
  | 'unavailable'
  | 'incomplete'
  | 'too-long'
  | 'wrong-digest'
  | 'wrong-offset'
  | 'busy'
  | 'damaged';

/** A file is not stored, or cannot be read; the message says why, and names the setting of a limit. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly reason: FileRefusal;

  constructor(reason: FileRefusal, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What an operator learns, and no client: the cause says where files are. */
export function forOperators(error: unknown): unknown {
  return error instanceof FileRefused && error.cause instanceof Error ? error.cause : error;
}

/** Why something is refused, for operators. Undefined: it is not. */
export function problemOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(
    () => undefined,
    (error: unknown) => {
      const why = forOperators(error);
      return why instanceof Error ? why.message : String(why);
    },
  );
}

/** What a file system says when nothing more can be written: no space, a quota, or a limit on the size of files. */
const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** @returns the error, or why the file system is full */
export function explained(error: unknown): unknown {
  const isFull = error instanceof Error && 'code' in error && fullCodes.includes(error.code);
  if (!isFull) return error;
  return new FileRefused('store-full', 'The store of files (FILES_URL) is full', { cause: error });
}
