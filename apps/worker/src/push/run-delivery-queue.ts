import {
  type Deliveries,
  type JobOutcome,
  type OpenDeliveryQueue,
  type PushJob,
  Unreadable,
  type Webhook,
} from '@switchyard/store';
import { type AfterDelivery, type ConcludePort, concludeDelivery } from './conclude-delivery.ts';
import { nextNotifications } from './next-notifications.ts';
import type { CursorAdvance, Notification } from './notification.ts';
import { outcomeOfUnreadable } from './outcome.ts';
import { type SendPort, sendNotification } from './send.ts';

export interface DeliverPort extends SendPort, ConcludePort {
  readonly deliveries: Pick<Deliveries, 'open'>;
  /** Aborted when the worker stops: between two deliveries, the job is given back. */
  readonly shutdown: AbortSignal;
}

/** A webhook with a constant flow of deliveries yields to others after this time. */
const SLICE_MS = 5_000;

/** Runs a webhook's job, as started by the queue: makes its deliveries one after the other, until there are none. */
export async function runDeliveryQueue(port: DeliverPort, job: PushJob): Promise<JobOutcome> {
  const queue = await port.deliveries.open(job);
  if (typeof queue === 'string') return 'done';
  const webhook = webhookOf(queue);
  if (webhook instanceof Unreadable) return withoutWebhook(port, queue, webhook);
  const yieldAt = performance.now() + SLICE_MS;
  let step: AfterDelivery = 'more';
  while (step === 'more')
    step = performance.now() < yieldAt ? await deliverSome(port, queue, webhook) : { retryAfterMs: 0 };
  return step;
}

/** Makes the deliveries that are due. If there are none, the task has expired. */
async function deliverSome(port: DeliverPort, queue: OpenDeliveryQueue, webhook: Webhook): Promise<AfterDelivery> {
  let step: AfterDelivery = 'done';
  const options = { version: webhook.version, chunks: port.settings.chunks };
  for (const next of await nextNotifications(queue, options)) {
    if (port.shutdown.aborted) return 'requeue';
    step = await deliver(port, { queue, webhook }, next);
    if (step !== 'more') return step;
  }
  return step;
}

async function deliver(
  port: DeliverPort,
  { queue, webhook }: { readonly queue: OpenDeliveryQueue; readonly webhook: Webhook },
  next: Notification | CursorAdvance,
): Promise<AfterDelivery> {
  const outcome = next.body === undefined ? SKIPPED : await sendNotification(port, { id: queue.id, webhook }, next);
  const { origin } = new URL(webhook.url);
  if (outcome !== SKIPPED && outcome.kind === 'delivered')
    port.emit({ kind: 'push-delivered', taskId: queue.id.taskId, configId: queue.configId, origin });
  return concludeDelivery(port, { queue, origin, cursor: next.cursor }, outcome);
}

/** The outcome where the cursor advances without a delivery. */
const SKIPPED = { kind: 'delivered' } as const;

function webhookOf(queue: OpenDeliveryQueue): Webhook | Unreadable {
  try {
    return queue.webhook();
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

async function withoutWebhook(port: DeliverPort, queue: OpenDeliveryQueue, error: Unreadable): Promise<JobOutcome> {
  const step = await concludeDelivery(port, { queue, origin: '', cursor: queue.cursor }, outcomeOfUnreadable(error));
  return step === 'more' ? 'done' : step;
}
