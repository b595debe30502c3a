const BEATS = 0;
const IS_OFF = 1;
const IS_RECORDED = 2;

/** How often the main thread beats, and the watching thread looks. */
export const BEAT_EVERY_MS = 250;

/** Shared memory in which the main thread shows that it is not blocked. */
export class Heartbeat {
  readonly shared: SharedArrayBuffer;
  readonly #fields: Int32Array;

  /** @param shared that of the heartbeat in another thread */
  constructor(shared = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#fields = new Int32Array(shared);
  }

  /** @param isOff a debugger may stop the main thread for as long as its user likes */
  beat(isOff: boolean): void {
    Atomics.store(this.#fields, IS_OFF, isOff ? 1 : 0);
    Atomics.add(this.#fields, BEATS, 1);
  }

  get beats(): number {
    return Atomics.load(this.#fields, BEATS);
  }

  get isOff(): boolean {
    return Atomics.load(this.#fields, IS_OFF) === 1;
  }

  /** Blocks the main thread until the watching thread has called `setRecorded`. */
  waitUntilRecorded(timeoutMs: number): void {
    Atomics.wait(this.#fields, IS_RECORDED, 0, timeoutMs);
  }

  setRecorded(): void {
    Atomics.store(this.#fields, IS_RECORDED, 1);
    Atomics.notify(this.#fields, IS_RECORDED);
  }
}
