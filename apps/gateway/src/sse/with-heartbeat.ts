import { heartbeatFrame } from './frame.ts';

/** The same frames, and a comment whenever there was none for `everyMs`. */
export async function* withHeartbeat(frames: AsyncIterable<string>, everyMs: number): AsyncIterable<string> {
  const iterator = frames[Symbol.asyncIterator]();
  const pulse = new Pulse(everyMs);
  try {
    for (;;) {
      const next = iterator.next();
      while (await pulse.isSilent(next)) yield heartbeatFrame;
      const result = await next;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    pulse.stop();
    await iterator.return?.();
  }
}

/** Tells which comes first, what is awaited or the end of the patience. One timer for the life of a stream. */
class Pulse {
  readonly #timer: NodeJS.Timeout;
  #awaited: Promise<unknown> | undefined;
  #isThere = false;
  #wake = (): void => undefined;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#wake(), everyMs);
  }

  /** Asked again and again for the same promise, until it settles. Its outcome is left to the caller. */
  async isSilent(awaited: Promise<unknown>): Promise<boolean> {
    if (awaited !== this.#awaited) this.#listen(awaited);
    if (!this.#isThere) await new Promise<void>((resolve) => (this.#wake = resolve));
    return !this.#isThere;
  }

  /** Once for each promise: a race for each heartbeat would pile up on a stream that is quiet for days. */
  #listen(awaited: Promise<unknown>): void {
    this.#awaited = awaited;
    this.#isThere = false;
    this.#timer.refresh();
    const settle = (): void => {
      this.#isThere = true;
      this.#wake();
    };
    awaited.then(settle, settle);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
