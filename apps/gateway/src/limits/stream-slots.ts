import { A2AError } from '@switchyard/protocol';

/** Bounds the open streams. */
export class StreamSlots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Streams that are open. */
  get taken(): number {
    return this.#taken;
  }

  /** Dispose of it to free the slot. @throws {A2AError} Unavailable: another replica may have room */
  take(): Disposable {
    if (this.#taken >= this.#max)
      throw new A2AError('Unavailable', 'Too many streams are open here', { retryAfterSeconds: 1 });
    this.#taken++;
    return {
      [Symbol.dispose]: () => {
        this.#taken--;
      },
    };
  }
}
