import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';

/** Bytes of a file, or of a part of it, as they come. */
export type Content = AsyncIterable<Uint8Array>;

/** Shorter chunks are gathered into pieces of so many bytes: each one that is hashed and written has its price. */
const PIECE_BYTES = 64 * 1024;

/**
 * Writes the content to a file, from `offset` on, and waits until it is on the disk. It is never whole in memory. What
 * has come of a content that breaks off is written, too.
 * @param onPiece sees each piece before it is written; what it throws ends the writing
 * @returns the bytes that the file has then
 */
export async function writeContent(
  path: string,
  content: Content,
  { offset = 0, onPiece }: { readonly offset?: number; readonly onPiece: (piece: Uint8Array, end: number) => void },
): Promise<number> {
  const file = await open(path, offset > 0 ? 'r+' : 'w');
  let end = offset;
  const write = async (piece: Uint8Array): Promise<void> => {
    onPiece(piece, end + piece.length);
    for (let done = 0; done < piece.length; ) {
      const { bytesWritten } = await file.write(piece, done, piece.length - done, end);
      done += bytesWritten;
      end += bytesWritten;
    }
  };
  try {
    await inPieces(content, write);
    return end;
  } finally {
    // A sender that leaves goes on from what is on the disk.
    await file.datasync().finally(() => file.close());
  }
}

async function inPieces(content: Content, write: (piece: Uint8Array) => Promise<void>): Promise<void> {
  // Chunks are copied: a source may use its buffer again for the next one.
  const gathered = Buffer.allocUnsafe(PIECE_BYTES);
  let bytes = 0;
  const writeGathered = async (): Promise<void> => {
    const piece = gathered.subarray(0, bytes);
    bytes = 0;
    if (piece.length > 0) await write(piece);
  };
  try {
    for await (const chunk of content) {
      if (bytes + chunk.length > PIECE_BYTES) await writeGathered();
      if (chunk.length >= PIECE_BYTES) await write(chunk);
      else {
        gathered.set(chunk, bytes);
        bytes += chunk.length;
      }
    }
  } finally {
    await writeGathered();
  }
}

/** Replaces a small file as a whole: a reader, and a crash, find the old one or the new one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w');
  try {
    await file.writeFile(text);
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

/** SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash: Hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest('hex');
}

/** Whether the file system says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
