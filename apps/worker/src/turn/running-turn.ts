import { TurnInterruption } from '@switchyard/agent';

/** The signal of one running turn, and its signs of life. */
export class RunningTurn {
  readonly #controller = new AbortController();
  readonly #shutdown: AbortSignal;

  constructor(shutdown: AbortSignal) {
    this.#shutdown = shutdown;
    shutdown.addEventListener('abort', this.#giveBack, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason counts. */
  interrupt(reason: TurnInterruption): void {
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  /** A turn may be silent for as long as it likes; its lease is renewed meanwhile. A failed renewal is made up by the next. */
  giveSignsOfLife(renew: () => Promise<void>, everyMs: number): Disposable {
    const timer = setInterval(() => renew().catch(() => undefined), everyMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  stop(): void {
    this.#shutdown.removeEventListener('abort', this.#giveBack);
  }

  readonly #giveBack = (): void => this.interrupt(new TurnInterruption('shutdown'));
}
