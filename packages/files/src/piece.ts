import { CHUNK_BYTES, type FileCipher } from './encryption.ts';

/** Where a piece begins, and who sees its content. */
interface PieceOptions {
  /** Plain bytes that it has at most: whole chunks, or all of the content. */
  readonly bytes: number;
  /** Plain bytes of the content before it: whole chunks. */
  readonly start?: number;
  /** Sees each chunk before it is encrypted. */
  readonly onChunk?: ((plain: Uint8Array) => void) | undefined;
}

/**
 * Gathers content into pieces that are stored at once: each one that is hashed and written has its price, and a source
 * may use its buffer again for the next bytes. Chunks are encrypted where they are, as they fill.
 */
export class Piece {
  readonly #cipher: FileCipher;
  readonly #bytes: number;
  readonly #onChunk: ((plain: Uint8Array) => void) | undefined;
  readonly #stored: Buffer;
  #start: number;
  /** Plain bytes in it. */
  #filled = 0;

  constructor(cipher: FileCipher, { bytes, start = 0, onChunk }: PieceOptions) {
    this.#cipher = cipher;
    this.#bytes = bytes;
    this.#start = start;
    this.#onChunk = onChunk;
    this.#stored = Buffer.allocUnsafe(cipher.storedBytes(bytes));
  }

  get isFull(): boolean {
    return this.#filled === this.#bytes;
  }

  /** Plain bytes in it. */
  get filled(): number {
    return this.#filled;
  }

  /** Plain bytes of the content with it. */
  get end(): number {
    return this.#start + this.#filled;
  }

  /** Plain bytes of the content before it. */
  get start(): number {
    return this.#start;
  }

  /** Copies what it has room for. @returns how many bytes */
  add(content: Uint8Array): number {
    let taken = 0;
    while (taken < content.length && !this.isFull) {
      const inChunk = this.#filled % CHUNK_BYTES;
      const room = Math.min(CHUNK_BYTES - inChunk, this.#bytes - this.#filled);
      const bytes = content.subarray(taken, taken + room);
      this.#stored.set(bytes, this.#chunkAt(this.#filled - inChunk) + this.#cipher.plainAt + inChunk);
      taken += bytes.length;
      this.#filled += bytes.length;
      if (this.#filled % CHUNK_BYTES === 0) this.#endChunk();
    }
    return taken;
  }

  /** What is stored of it, until the next `add`. The next piece begins, after the last one of a content none does. */
  take(): Uint8Array {
    if (this.#filled % CHUNK_BYTES > 0) this.#endChunk();
    const stored = this.#stored.subarray(0, this.#cipher.storedBytes(this.#filled));
    this.#start += this.#filled;
    this.#filled = 0;
    return stored;
  }

  /** Encrypts the last chunk. */
  #endChunk(): void {
    const length = this.#filled % CHUNK_BYTES || CHUNK_BYTES;
    const from = this.#filled - length;
    const chunk = this.#stored.subarray(this.#chunkAt(from), this.#cipher.storedBytes(this.#filled));
    this.#onChunk?.(chunk.subarray(this.#cipher.plainAt, this.#cipher.plainAt + length));
    this.#cipher.encrypt(chunk, (this.#start + from) / CHUNK_BYTES);
  }

  /** @param plain whole chunks before it */
  #chunkAt(plain: number): number {
    return this.#cipher.storedBytes(plain);
  }
}
