import type { Content } from './durable.ts';
import { CHUNK_BYTES, damaged, type FileCipher } from './encryption.ts';
import { free } from './free.ts';

/** First and last byte of a content. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The plain bytes of a range, from the stored ones of all chunks in which they are. No byte comes before its chunk was
 * checked. Each chunk is valid until the next one.
 * @throws {FileRefused} `damaged`: chunks were changed, moved, or are missing; and what `readStored` throws
 */
export async function* plainContent(
  { cipher, sizeBytes, range }: { readonly cipher: FileCipher; readonly sizeBytes: number; readonly range: Range },
  readStored: (range: Range) => Content,
): AsyncGenerator<Uint8Array> {
  const { start, end } = range;
  if (end < start) return;
  if (cipher.isOff) return yield* readStored(range);
  const last = Math.min(sizeBytes, end + CHUNK_BYTES - (end % CHUNK_BYTES));
  let at = start - (start % CHUNK_BYTES);
  const stored = readStored({ start: cipher.storedBytes(at), end: cipher.storedBytes(last) - 1 });
  for await (const chunk of inChunks(stored, cipher.storedBytes(CHUNK_BYTES))) {
    const plain = cipher.decrypt(chunk, at / CHUNK_BYTES);
    const { length } = plain;
    if (length !== Math.min(CHUNK_BYTES, sizeBytes - at)) throw damaged();
    yield plain.subarray(Math.max(0, start - at), end + 1 - at);
    free(plain);
    at += length;
  }
  if (at < last) throw damaged();
}

/** Chunks of one size; the last one may be shorter. Each is valid until the next one. */
async function* inChunks(content: Content, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const gathered = Buffer.allocUnsafe(chunkBytes);
  let bytes = 0;
  for await (const piece of content)
    for (let done = 0; done < piece.length; ) {
      const part = piece.subarray(done, done + chunkBytes - bytes);
      done += part.length;
      if (part.length === chunkBytes) yield part;
      else {
        gathered.set(part, bytes);
        bytes += part.length;
        if (bytes < chunkBytes) continue;
        bytes = 0;
        yield gathered;
      }
    }
  if (bytes > 0) yield gathered.subarray(0, bytes);
}
