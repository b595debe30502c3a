/** Aborts a call to somebody who says nothing for too long, or whose turn is interrupted. */
export class Silence implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal;
  #isTooLong = false;

  /** @param timeoutMs from the call to the first word, and from word to word */
  constructor(outer: AbortSignal, timeoutMs: number) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.#isTooLong = true;
      this.#controller.abort();
    }, timeoutMs);
    if (outer.aborted) this.#passOn();
    else outer.addEventListener('abort', this.#passOn, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** Something was said. */
  end(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#passOn);
  }

  readonly #passOn = (): void => this.#controller.abort(this.#outer.reason);
}
