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
import type { Notification, Passage } from './notification.ts';
import { outcomeOfUnreadable } from './outcome.ts';
import { type SendPort, send } from './send.ts';

export interface DeliverPort extends SendPort, ConcludePort {
  readonly deliveries: Pick<Deliveries, 'open'>;
  /** Aborted when the worker stops: between two deliveries, the job is given back. */
  readonly shutdown: AbortSignal;
}

/** A lane that always has more to tell gives way to others after so long. */
const SLICE_MS = 5_000;

/** One start of a lane's job by the queue: tells the webhook one thing after the other, until it has been told all. */
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

/** What is there by now. Nothing: the task has expired. */
async function deliverSome(port: DeliverPort, lane: OpenLane, webhook: Webhook): Promise<Step> {
  let step: Step = 'done';
  const telling = { version: webhook.version, chunks: port.settings.chunks };
  for (const next of await nextNotifications(lane, telling)) {
    if (port.shutdown.aborted) return 'hand-back';
    step = await deliver(port, { lane, webhook }, next);
    if (step !== 'more') return step;
  }
  return step;
}

async function deliver(
  port: DeliverPort,
  { lane, webhook }: { readonly lane: OpenLane; readonly webhook: Webhook },
  next: Notification | Passage,
): Promise<Step> {
  const outcome = next.body === undefined ? TOLD : await send(port, { id: lane.id, webhook }, next);
  const { origin } = new URL(webhook.url);
  if (outcome !== TOLD && outcome.kind === 'delivered')
    port.observe({ kind: 'push-delivered', taskId: lane.id.taskId, configId: lane.configId, origin });
  return conclude(port, { lane, origin, place: next.place }, outcome);
}

/** Of what need not be told. */
const TOLD = { kind: 'delivered' } as const;

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
