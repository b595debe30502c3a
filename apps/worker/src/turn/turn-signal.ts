import { TurnInterruption } from '@switchyard/agent';

/** The signal of one running turn. */
export class TurnSignal {
  readonly #controller = new AbortController();
  readonly #shutdown: AbortSignal;

  constructor(shutdown: AbortSignal) {
    this.#shutdown = shutdown;
    shutdown.addEventListener('abort', this.#onShutdown, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Only the first reason counts. */
  interrupt(reason: TurnInterruption): void {
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  stop(): void {
    this.#shutdown.removeEventListener('abort', this.#onShutdown);
  }

  readonly #onShutdown = (): void => this.interrupt(new TurnInterruption('shutdown'));
}
