import { createHash } from 'node:crypto';
import { CHUNK_BYTES } from './encryption.ts';

/** Each has about a KiB; uploads that nobody goes on with stay until others need the place. */
const MOST_UPLOADS = 1_000;

/** The SHA-256 of the whole chunks that have come of an upload, and of its end. */
export class RunningHash {
  readonly #hash = createHash('sha256');
  readonly #sizeBytes: number;
  #bytes = 0;

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes;
  }

  /** Plain bytes that it has seen. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * For a request whose first byte is stored perhaps before those that were seen, as chunks that are written again.
   * @param start whole chunks, in plain bytes
   */
  addFrom(start: number): (plain: Uint8Array) => void {
    let at = start;
    return (plain) => {
      if (at >= this.#bytes) this.add(plain);
      at += plain.length;
    };
  }

  /** What has not filled its chunk comes again, with what follows. */
  readonly add = (plain: Uint8Array): void => {
    const end = this.#bytes + plain.length;
    if (plain.length < CHUNK_BYTES && end !== this.#sizeBytes) return;
    this.#hash.update(plain);
    this.#bytes = end;
  };

  /** @returns undefined: it has not seen all */
  digest(): string | undefined {
    return this.#bytes === this.#sizeBytes ? this.#hash.digest('hex') : undefined;
  }
}

/**
 * Hashes of uploads that came to this process from their first byte on, in one request after another: such an upload
 * need not be read again after its last piece.
 */
export class RunningHashes {
  readonly #byUpload = new Map<string, RunningHash>();

  /**
   * For the request that writes now; `keep` it if the request has ended well.
   * @param start whole chunks that are stored, in plain bytes
   * @returns undefined: another process has written some of them
   */
  take(upload: string, { start, sizeBytes }: { start: number; sizeBytes: number }): RunningHash | undefined {
    const known = this.#byUpload.get(upload);
    this.#byUpload.delete(upload);
    if (start === 0) return new RunningHash(sizeBytes);
    return known?.bytes === start ? known : undefined;
  }

  keep(upload: string, hash: RunningHash): void {
    const [oldest] = this.#byUpload.keys();
    if (oldest !== undefined && this.#byUpload.size >= MOST_UPLOADS) this.#byUpload.delete(oldest);
    this.#byUpload.set(upload, hash);
  }
}
