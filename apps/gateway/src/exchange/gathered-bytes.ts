/** Chunks that are copied together, and the average size from which they are not. */
const TOGETHER = 64;
const LARGE_BYTES = 1_024;

/**
 * Bytes that come in chunks of any size. Each chunk takes about 180 bytes of memory beside its own, and a client may make
 * one of each byte: small ones are copied together as they come.
 */
export class GatheredBytes {
  readonly #whole: Uint8Array[] = [];
  #last: Uint8Array[] = [];
  #lastBytes = 0;
  #bytes = 0;

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#lastBytes += chunk.length;
    this.#last.push(chunk);
    if (this.#last.length < TOGETHER) return;
    if (this.#lastBytes < TOGETHER * LARGE_BYTES) this.#whole.push(Buffer.concat(this.#last, this.#lastBytes));
    else this.#whole.push(...this.#last);
    this.#last = [];
    this.#lastBytes = 0;
  }

  /** All bytes so far, in one piece. */
  joined(): Buffer {
    return Buffer.concat([...this.#whole, ...this.#last], this.#bytes);
  }
}
