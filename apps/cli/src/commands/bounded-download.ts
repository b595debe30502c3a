/** How often progress is said. */
const PROGRESS_MS = 2_000;

interface Bound {
  readonly maxBytes: number;
  /** The file, for the progress. */
  readonly name: string;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** Passes on what is downloaded, counts it, and says how much there is. @throws {Error} at more than `maxBytes` */
export function bounded({ maxBytes, name, onProgress }: Bound) {
  return async function* count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let saidAtMs = performance.now();
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error(`it is larger than ${megabytes(maxBytes)} (--max-size)`);
      if (performance.now() - saidAtMs > PROGRESS_MS) {
        saidAtMs = performance.now();
        onProgress?.(`${name}: ${megabytes(bytes)}`);
      }
      yield chunk;
    }
  };
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
