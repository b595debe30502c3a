import {
  type Deliveries,
  type JobOutcome,
  type OpenLane,
  type PushJob,
  Unreadable,
  type Webhook,
} from '@switchyard/store';
import { type ConcludePort, conclude, type Step } from './conclude.ts';
import { nextNotifications } from './next-notifications.ts';
import type { CursorAdvance, Notification } from './notification.ts';
import { outcomeOfUnreadable } from './outcome.ts';
import { type SendPort, send } from './send.ts';

export interface DeliverPort extends SendPort, ConcludePort {
  readonly deliveries: Pick<Deliveries, 'open'>;
  /** Aborted when the worker stops: between two deliveries, the job is given back. */
  readonly shutdown: AbortSignal;
}

/** A webhook with a constant flow of deliveries yields to others after this time. */
const SLICE_MS = 5_000;

/** One start of a webhook's job by the queue: makes its deliveries one after the other, until there are none. */
export async function deliverLane(port: DeliverPort, job: PushJob): Promise<JobOutcome> {
  const lane = await port.deliveries.open(job);
  if (typeof lane === 'string') return 'done';
  const webhook = webhookOf(lane);
  if (webhook instanceof Unreadable) return withoutWebhook(port, lane, webhook);
  const giveWayAt = performance.now() + SLICE_MS;
  let step: Step = 'more';
  while (step === 'more')
    step = performance.now() < giveWayAt ? await deliverSome(port, lane, webhook) : { retryAfterMs: 0 };
  return step;
}

/** The deliveries that are due now. None: the task has expired. */
async function deliverSome(port: DeliverPort, lane: OpenLane, webhook: Webhook): Promise<Step> {
  let step: Step = 'done';
  const options = { version: webhook.version, chunks: port.settings.chunks };
  for (const next of await nextNotifications(lane, options)) {
    if (port.shutdown.aborted) return 'hand-back';
    step = await deliver(port, { lane, webhook }, next);
    if (step !== 'more') return step;
  }
  return step;
}

async function deliver(
  port: DeliverPort,
  { lane, webhook }: { readonly lane: OpenLane; readonly webhook: Webhook },
  next: Notification | CursorAdvance,
): Promise<Step> {
  const outcome = next.body === undefined ? SKIPPED : await send(port, { id: lane.id, webhook }, next);
  const { origin } = new URL(webhook.url);
  if (outcome !== SKIPPED && outcome.kind === 'delivered')
    port.emit({ kind: 'push-delivered', taskId: lane.id.taskId, configId: lane.configId, origin });
  return conclude(port, { lane, origin, place: next.place }, outcome);
}

/** The outcome of a cursor's advance without a delivery. */
const SKIPPED = { kind: 'delivered' } as const;

function webhookOf(lane: OpenLane): Webhook | Unreadable {
  try {
    return lane.webhook();
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

async function withoutWebhook(port: DeliverPort, lane: OpenLane, error: Unreadable): Promise<JobOutcome> {
  const step = await conclude(port, { lane, origin: '', place: lane.place }, outcomeOfUnreadable(error));
  return step === 'more' ? 'done' : step;
}
