import { FileRefused } from '@switchyard/files';
import type { Lock, RequestRelease } from '@tus/server';

/** How long a request waits for another one, which was asked to end. */
const WITHIN_MS = 30_000;

interface Held {
  /** Asks the request that holds it to end. */
  readonly requestRelease: RequestRelease;
  readonly released: Promise<void>;
  readonly release: () => void;
}

/** One request at a time writes an upload, in this process. The next one asks it to end, and waits. */
export class UploadLocks {
  readonly #held = new Map<string, Held>();

  /** @param end also called when another request asks for the lock */
  newLock(id: string, end: () => void): Lock {
    const lockAndEnd = (signal: AbortSignal, requestRelease: RequestRelease): Promise<void> =>
      this.#lock(id, signal, () => {
        end();
        return requestRelease();
      });
    return {
      lock: lockAndEnd,
      unlock: async () => {
        const held = this.#held.get(id);
        this.#held.delete(id);
        held?.release();
      },
    };
  }

  /** @param stop aborted when the request that waits has ended @throws {FileRefused} `unavailable` */
  async #lock(id: string, stop: AbortSignal, requestRelease: RequestRelease): Promise<void> {
    const ends = AbortSignal.any([stop, AbortSignal.timeout(WITHIN_MS)]);
    const ended = Promise.withResolvers<void>();
    if (ends.aborted) ended.resolve();
    else ends.addEventListener('abort', () => ended.resolve(), { once: true });
    for (let other = this.#held.get(id); other; other = this.#held.get(id)) {
      await other.requestRelease();
      await Promise.race([other.released, ended.promise]);
      if (ends.aborted) throw new FileRefused('unavailable', 'Another request writes this upload');
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    this.#held.set(id, { requestRelease, released, release });
  }
}
