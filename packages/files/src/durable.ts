import { open, rename } from 'node:fs/promises';
import { CHUNK_BYTES, type FileCipher } from './encryption.ts';
import { Piece } from './piece.ts';

/** Bytes of a file, or of a part of it, as they come. */
export type Content = AsyncIterable<Uint8Array>;

interface ContentToWrite {
  readonly cipher: FileCipher;
  /** What the file has: whole chunks. */
  readonly start?: number;
  /** Plain bytes that follow, and are not in the file. */
  readonly tail?: Uint8Array;
  /** Sees how many bytes have come; what it throws ends the writing. */
  readonly onBytes: (end: number) => void;
  /** Sees what is written, before it is encrypted. */
  readonly onChunk?: ((plain: Uint8Array) => void) | undefined;
  /** Comes before each write; what it throws ends the writing. */
  readonly beforeWrite?: () => Promise<void>;
  /** Stores what has not filled a chunk elsewhere. @returns false: it ends the content, and belongs to the file */
  readonly keepTail?: (tail: Tail) => Promise<boolean>;
}

/** What follows the whole chunks of a content. */
interface Tail {
  readonly stored: Uint8Array;
  /** Plain bytes before it. */
  readonly start: number;
  /** Plain bytes with it. */
  readonly end: number;
}

/**
 * Writes the content to a file, and waits until it is on the disk. It is never whole in memory. What has come of a
 * content that breaks off is written, too.
 * @returns the plain bytes that are stored then
 */
export async function writeContent(path: string, content: Content, options: ContentToWrite): Promise<number> {
  const { cipher, start = 0, tail = new Uint8Array(), onBytes, onChunk } = options;
  const { beforeWrite = async () => undefined, keepTail = async () => false } = options;
  const file = await open(path, start > 0 ? 'r+' : 'w');
  const piece = new Piece(cipher, { bytes: CHUNK_BYTES, start, onChunk });
  const write = async (stored: Uint8Array, from: number): Promise<void> => {
    await beforeWrite();
    for (let done = 0; done < stored.length; ) {
      const { bytesWritten } = await file.write(stored, done, stored.length - done, from + done);
      done += bytesWritten;
    }
  };
  try {
    let end = start + piece.add(tail);
    for await (const chunk of content) {
      end += chunk.length;
      onBytes(end);
      for (let done = 0; done < chunk.length; ) {
        done += piece.add(chunk.subarray(done));
        if (piece.isFull) await write(piece.take(), cipher.storedBytes(piece.start - CHUNK_BYTES));
      }
    }
  } finally {
    // A sender that leaves goes on from what is on the disk.
    try {
      const { start: from, end } = piece;
      const stored = piece.take();
      if (end > from && !(await keepTail({ stored, start: from, end }))) await write(stored, cipher.storedBytes(from));
      await file.datasync();
    } finally {
      await file.close();
    }
  }
  return piece.start;
}

/** Replaces a small file as a whole: a reader, and a crash, find the old one or the new one. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

/** Makes what was created, renamed or removed in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Whether the file system says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Whether a file or folder could not get a name because another one has it. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}
