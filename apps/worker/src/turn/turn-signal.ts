import { TurnInterruption } from '@switchyard/agent';

/** The signal of one running turn. Listens to `shutdown` until it is disposed of. */
export class TurnSignal implements Disposable {
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

  [Symbol.dispose](): void {
    this.#shutdown.removeEventListener('abort', this.#onShutdown);
  }

  readonly #onShutdown = (): void => this.interrupt(new TurnInterruption('shutdown'));
}
