export { Deliveries, type PushJob } from './deliveries.ts';
export {
  type DeadLetterDetails,
  type DeliveryCursor,
  type FailedAttempt,
  type PushDependencies,
  parseCursor,
  webhookKeys,
} from './delivery-queue.ts';
export { OpenDeliveryQueue, type TaskSnapshot } from './open-delivery-queue.ts';
export { type WebhookPage, Webhooks } from './webhooks.ts';
