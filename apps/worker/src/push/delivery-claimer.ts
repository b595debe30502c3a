import type { Deliveries } from '@switchyard/push';
import type { Shard, Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { PartPoller } from '../timing/timing.ts';

/** What the claimer needs of a store. */
export interface ClaimableDeliveries {
  readonly deliveries: Pick<Deliveries, 'claim'>;
  readonly dueWork: Store['dueWork'];
}

/** Adds jobs for webhooks that have events to deliver, when they are due; and on a timer. */
export class DeliveryClaimer {
  readonly #store: ClaimableDeliveries;
  readonly #poller: PartPoller<Shard>;
  #unlisten: (() => void) | undefined;

  constructor(store: ClaimableDeliveries, everyMs: number, emit: Emit) {
    this.#store = store;
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'push claim', err: error });
    const run = async (shards?: readonly Shard[]): Promise<void> => void (await store.deliveries.claim(shards));
    this.#poller = new PartPoller({ everyMs, run, onError });
  }

  start(): void {
    this.#unlisten = this.#store.dueWork.listen('deliveries', this.#poller.request);
    this.#poller.start();
    this.#poller.request();
  }

  stop(): Promise<void> {
    this.#unlisten?.();
    return this.#poller.stop();
  }
}
