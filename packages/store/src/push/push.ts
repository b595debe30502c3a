import { Deliveries } from './deliveries.ts';
import type { PushPort } from './delivery-queue.ts';
import { Webhooks } from './webhooks.ts';

/** Push notifications: webhooks and their delivery queues. */
export class Push {
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;

  constructor(port: PushPort) {
    this.webhooks = new Webhooks(port);
    this.deliveries = new Deliveries(port);
  }
}
