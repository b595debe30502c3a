/** A signal for a long request: aborted when no data has come for a time, or with its turn. */
export class IdleTimeout implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #turn: AbortSignal;
  #isExpired = false;

  /** @param timeoutMs longest time without data */
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

  /** Whether the time ran out. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Call it when data has come. */
  restart(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#turn.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.#turn.reason);
}
