import type { OpenDeliveryQueue } from '@switchyard/push';
import { formatEventId, responseWithGeneration, type Webhook } from '@switchyard/store';
import { firstNotifications } from './first-notifications.ts';
import { type CursorAdvance, cursorAt, type Notification, snapshot } from './notification.ts';
import { tasksForV03 } from './tasks-for-v03.ts';
import { wholeArtifacts } from './whole-artifacts.ts';

/** The form in which a webhook gets its deliveries. */
export interface DeliveryOptions {
  readonly version: Webhook['version'];
  readonly chunks: boolean;
}

/**
 * The next deliveries, as far as there are events. Where the stream no longer has the next event, the current task
 * replaces the missing ones. Empty: the task has expired.
 */
export async function nextNotifications(
  queue: OpenDeliveryQueue,
  { version, chunks }: DeliveryOptions,
): Promise<readonly (Notification | CursorAdvance)[]> {
  if (version !== '1.1') return notifications(queue, { version, chunks });
  // All chunks are delivered: to a receiver that counts events, a skipped one would look like a lost one.
  return (await notifications(queue, { version, chunks: true })).map(withGeneration);
}

/** Adds the generation to the body: the number of the event that it delivers, to which the cursor moves. */
function withGeneration<Next extends Notification | CursorAdvance>(next: Next): Next {
  if (next.body === undefined) return next;
  return { ...next, body: responseWithGeneration(next.body, next.cursor.seq).toString() };
}

async function notifications(
  queue: OpenDeliveryQueue,
  { version, chunks }: DeliveryOptions,
): Promise<readonly (Notification | CursorAdvance)[]> {
  const events = await queue.events();
  if (version === '0.3') return tasksForV03(queue, events);
  if (queue.cursor.seq === 0) return firstNotifications(queue, events);
  if (events === 'trimmed')
    return (await snapshot(queue)).map(({ task, ...named }) => ({ ...named, body: `{"task":${task}}` }));
  if (!chunks) return wholeArtifacts(queue, events);
  return events.map((event) => ({ deliveryId: formatEventId(event), body: event.json, cursor: cursorAt(event) }));
}
