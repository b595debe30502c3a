import type { Deliveries } from '@switchyard/store';
import type { Observe } from '../observe.ts';

/**
 * Has lanes with something to tell given their jobs: at once when one is marked, and by the clock those of which no word
 * was heard, or whose job was lost. Every worker does, and any one is enough.
 */
export class Claimer {
  readonly #deliveries: Pick<Deliveries, 'listen' | 'claim'>;
  readonly #everyMs: number;
  readonly #observe: Observe;
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;

  constructor(deliveries: Pick<Deliveries, 'listen' | 'claim'>, everyMs: number, observe: Observe) {
    this.#deliveries = deliveries;
    this.#everyMs = everyMs;
    this.#observe = observe;
  }

  async start(): Promise<void> {
    await this.#deliveries.listen(this.#wake);
    this.#timer = setInterval(this.#wake, this.#everyMs);
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#claiming;
  }

  /** Marks that come while others are claimed are claimed right after. */
  readonly #wake = (): void => {
    if (this.#isStopped) return;
    this.#isWanted = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
    });
  };

  async #claimAll(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#deliveries
        .claim()
        .catch((error: unknown) => this.#observe({ kind: 'trouble', where: 'push claim', error }));
    }
  }
}
