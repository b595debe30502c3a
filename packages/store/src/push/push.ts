import { Deliveries } from './deliveries.ts';
import type { PushDependencies } from './delivery-queue.ts';
import { Webhooks } from './webhooks.ts';

/** Push notifications: webhooks and their delivery queues. */
export class Push {
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;

  constructor(dependencies: PushDependencies) {
    this.webhooks = new Webhooks(dependencies);
    this.deliveries = new Deliveries(dependencies);
  }
}
