/** How often progress is said. */
export const PROGRESS_MS = 2_000;
/** Before each further try of a part of a file. A gateway is replaced within this time. */
export const RETRY_AFTER_MS: readonly number[] = [200, 500, 1_000, 2_000, 4_000];

interface Bound {
  readonly maxBytes: number;
  /** The file, for the progress. */
  readonly name: string;
  /** Of the answer: they may say how many bytes follow. */
  readonly headers: Headers;
  /** Bytes that have arrived before. Default: none. */
  readonly from?: number;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** Passes on what is downloaded, counts it, and says how much of how much there is. @throws {Error} at more than `maxBytes` */
export function bounded({ maxBytes, name, onProgress, headers, from = 0 }: Bound) {
  const following = followingIn(headers);
  const ofAll = following === undefined ? '' : ` of ${megabytes(from + following)}`;
  return async function* count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = from;
    let saidAtMs = performance.now();
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error(`it is larger than ${megabytes(maxBytes)} (--max-size)`);
      if (performance.now() - saidAtMs > PROGRESS_MS) {
        saidAtMs = performance.now();
        onProgress?.(`${name}: ${megabytes(bytes)}${ofAll}`);
      }
      yield chunk;
    }
  };
}

/** Of what is compressed, the header has other bytes than arrive here. */
function followingIn(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? undefined : Number(length);
}

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
