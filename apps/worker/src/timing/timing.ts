export interface PollerOptions {
  readonly everyMs: number;
  readonly run: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Runs something on a timer, and at once on request: one run at a time, then one more for all requests that came
 * meanwhile.
 */
export class Poller {
  readonly #options: PollerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isRequested = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(this.request, this.#options.everyMs);
  }

  /** Waits for the current run. Idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#isRequested = false;
    await this.#running;
  }

  /** Without effect before the start and after the stop. */
  readonly request = (): void => {
    if (!this.#timer) return;
    this.#isRequested = true;
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
  };

  /** The current run, if there is one. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#isRequested) {
      this.#isRequested = false;
      await this.#options.run().catch(this.#options.onError);
    }
  }
}

/** A Poller of work that several parts have: a request names one, the timer means all. */
export class PartPoller<Part> {
  readonly #poller: Poller;
  readonly #requested = new Set<Part>();

  /** @param options `run` without an argument: all parts */
  constructor(options: Omit<PollerOptions, 'run'> & { readonly run: (parts?: readonly Part[]) => Promise<void> }) {
    const run = (): Promise<void> => {
      const parts = [...this.#requested];
      this.#requested.clear();
      return options.run(parts.length > 0 ? parts : undefined);
    };
    this.#poller = new Poller({ ...options, run });
  }

  start(): void {
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  /** Unset: all parts. Without effect before the start and after the stop. */
  readonly request = (part?: Part): void => {
    if (part !== undefined) this.#requested.add(part);
    this.#poller.request();
  };
}
