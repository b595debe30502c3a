import type { Closings } from '@switchyard/store';
import type { Observe } from '../telemetry/events.ts';

/**
 * Ends what tasks that ended had called for: it is told when there is something, and looks by the clock, since it may have missed
 * that, and since another worker may have died over it.
 */
export class CallCloser {
  readonly #closings: Closings;
  readonly #everyMs: number;
  readonly #observe: Observe;
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #isAsked = false;

  constructor(closings: Closings, everyMs: number, observe: Observe) {
    this.#closings = closings;
    this.#everyMs = everyMs;
    this.#observe = observe;
  }

  async start(): Promise<void> {
    await this.#closings.listen(this.#ask);
    this.#timer = setInterval(this.#ask, this.#everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#closing;
  }

  readonly #ask = (): void => {
    if (!this.#timer) return;
    this.#isAsked = true;
    this.#closing ??= this.#close().finally(() => {
      this.#closing = undefined;
    });
  };

  /** What comes while it closes is looked at once more. */
  async #close(): Promise<void> {
    while (this.#isAsked) {
      this.#isAsked = false;
      try {
        const closed = await this.#closings.close();
        if (closed) this.#observe({ kind: 'calls-closed', closed });
      } catch (error) {
        this.#observe({ kind: 'trouble', where: 'close-calls', error });
      }
    }
  }
}
