import type { Channels } from '../redis/channels.ts';
import { DeadLetters } from './dead-letters.ts';
import { Deliveries } from './deliveries.ts';
import type { PushPort } from './push-port.ts';
import { Webhooks } from './webhooks.ts';

/** Push notifications: webhooks, their delivery queues, and dead letters. */
export class Push {
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly dead: DeadLetters;

  constructor(port: PushPort, channels: Channels) {
    this.webhooks = new Webhooks(port);
    this.deliveries = new Deliveries(port, channels);
    this.dead = new DeadLetters(port);
  }
}
