import type { TurnInterruption } from '@switchyard/agent';

/** How long an interruption waits for the answer to a sent message: without the task's id it cannot be canceled. */
const holdMs = 2_000;

/** Aborts the requests of a run when its turn is interrupted, or when the run itself ends its wait. */
export class RunSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #turn: AbortSignal;
  #isHeld = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(turn: AbortSignal) {
    this.#turn = turn;
    if (turn.aborted) this.#onInterruption();
    else turn.addEventListener('abort', this.#onInterruption, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Call it when a message is sent. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Call it when the answer has arrived, or will not arrive. */
  release(): void {
    this.#isHeld = false;
    if (this.#turn.aborted) this.abort(this.#turn.reason);
  }

  abort(reason: TurnInterruption | Error): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#turn.removeEventListener('abort', this.#onInterruption);
  }

  readonly #onInterruption = (): void => {
    this.#timer = setTimeout(() => this.abort(this.#turn.reason), this.#isHeld ? holdMs : 0);
  };
}
