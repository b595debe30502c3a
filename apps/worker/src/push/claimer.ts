import type { Deliveries } from '@switchyard/store';
import type { Observe } from '../telemetry/events.ts';

/**
 * Gives jobs to webhooks that have deliveries to come: at once after a notification, and by the clock where the notification or
 * the job was lost. Every worker does so, and one is enough.
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

  /** Notifications that come while webhooks are claimed lead to another round. */
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
