/**
 * A signal for a request that may take long, as long as something comes of it: aborted after a time without, or with
 * its turn.
 */
export class IdleTimeout implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #turn: AbortSignal;
  #isExpired = false;

  /** @param timeoutMs longest time from the request to its first data, and from data to data */
  constructor(turn: AbortSignal, timeoutMs: number) {
    this.#turn = turn;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#controller.abort();
    }, timeoutMs);
    if (turn.aborted) this.#abort();
    else turn.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time ran out; else the signal was aborted with the turn, or not at all. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Data has come. */
  restart(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#turn.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.#turn.reason);
}
