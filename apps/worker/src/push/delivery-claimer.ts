import type { Deliveries } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/**
 * Adds jobs for webhooks that have events to deliver: at once after a notification, and on a timer in case the
 * notification or the job was lost. Every worker does so, and one is enough.
 */
export class DeliveryClaimer {
  readonly #deliveries: Pick<Deliveries, 'listen' | 'claim'>;
  readonly #poller: Poller;

  constructor(deliveries: Pick<Deliveries, 'listen' | 'claim'>, everyMs: number, emit: Emit) {
    this.#deliveries = deliveries;
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'push claim', err: error });
    this.#poller = new Poller({ everyMs, run: async () => void (await deliveries.claim()), onError });
  }

  async start(): Promise<void> {
    await this.#deliveries.listen(this.#poller.request);
    this.#poller.start();
    this.#poller.request();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }
}
