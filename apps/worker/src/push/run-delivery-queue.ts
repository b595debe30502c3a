import type { Deliveries, OpenDeliveryQueue, PushJob } from '@switchyard/push';
import { type JobOutcome, Unreadable, type Webhook } from '@switchyard/store';
import { type AfterDelivery, type ConcludeDependencies, concludeDelivery } from './conclude-delivery.ts';
import { nextNotifications } from './next-notifications.ts';
import type { CursorAdvance, Notification } from './notification.ts';
import { outcomeOfUnreadable } from './outcome.ts';
import { type SendDependencies, sendNotification } from './send.ts';

export interface DeliverDependencies extends SendDependencies, ConcludeDependencies {
  readonly deliveries: Pick<Deliveries, 'open'>;
  /** Aborted when the worker stops: between two deliveries, the job is given back. */
  readonly shutdown: AbortSignal;
}

/** A webhook with a constant flow of deliveries yields to others after this time. */
const SLICE_MS = 5_000;

/** Runs a webhook's job, as started by the queue: makes its deliveries one after the other, until there are none. */
export async function runDeliveryQueue(dependencies: DeliverDependencies, job: PushJob): Promise<JobOutcome> {
  const queue = await dependencies.deliveries.open(job);
  if (typeof queue === 'string') return 'done';
  const webhook = webhookOf(queue);
  if (webhook instanceof Unreadable) return withoutWebhook(dependencies, queue, webhook);
  const yieldAt = performance.now() + SLICE_MS;
  let step: AfterDelivery = 'more';
  while (step === 'more')
    step = performance.now() < yieldAt ? await deliverSome(dependencies, queue, webhook) : { retryAfterMs: 0 };
  return step;
}

/** Makes the deliveries that are due. If there are none, the task has expired. */
async function deliverSome(
  dependencies: DeliverDependencies,
  queue: OpenDeliveryQueue,
  webhook: Webhook,
): Promise<AfterDelivery> {
  let step: AfterDelivery = 'done';
  const options = { version: webhook.version, chunks: dependencies.settings.chunks };
  for (const next of await nextNotifications(queue, options)) {
    if (dependencies.shutdown.aborted) return 'requeue';
    step = await deliver(dependencies, { queue, webhook }, next);
    if (step !== 'more') return step;
  }
  return step;
}

async function deliver(
  dependencies: DeliverDependencies,
  { queue, webhook }: { readonly queue: OpenDeliveryQueue; readonly webhook: Webhook },
  next: Notification | CursorAdvance,
): Promise<AfterDelivery> {
  const outcome =
    next.body === undefined ? SKIPPED : await sendNotification(dependencies, { id: queue.id, webhook }, next);
  const { origin } = new URL(webhook.url);
  if (outcome !== SKIPPED && outcome.kind === 'delivered')
    dependencies.emit({ kind: 'push-delivered', taskId: queue.id.taskId, configId: queue.configId, origin });
  return concludeDelivery(dependencies, { queue, origin, cursor: next.cursor }, outcome);
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

async function withoutWebhook(
  dependencies: DeliverDependencies,
  queue: OpenDeliveryQueue,
  error: Unreadable,
): Promise<JobOutcome> {
  const step = await concludeDelivery(
    dependencies,
    { queue, origin: '', cursor: queue.cursor },
    outcomeOfUnreadable(error),
  );
  return step === 'more' ? 'done' : step;
}
