import { formatEventId, type OpenDeliveryQueue, responseWithGeneration, type Webhook } from '@switchyard/store';
import { firstNotifications } from './first-notifications.ts';
import { legacyTasks } from './legacy-tasks.ts';
import { type CursorAdvance, cursorAt, type Notification, snapshot } from './notification.ts';
import { wholeArtifacts } from './whole-artifacts.ts';

/** In which form a webhook gets its deliveries. */
export interface DeliveryOptions {
  readonly version: Webhook['version'];
  readonly chunks: boolean;
}

/**
 * What comes next, as far as it is there. Where the stream no longer reaches back, the task as it is stands for what is
 * missing. Nothing at all: the task has expired.
 */
export async function nextNotifications(
  queue: OpenDeliveryQueue,
  { version, chunks }: DeliveryOptions,
): Promise<readonly (Notification | CursorAdvance)[]> {
  if (version !== '1.1') return notifications(queue, { version, chunks });
  // Without a chunk its number would be missing: for who counts, an event that was lost.
  return (await notifications(queue, { version, chunks: true })).map(withGeneration);
}

/** Each delivery moves the cursor to the event that it stands for. */
function withGeneration<Next extends Notification | CursorAdvance>(next: Next): Next {
  if (next.body === undefined) return next;
  return { ...next, body: responseWithGeneration(next.body, next.cursor.seq).toString() };
}

async function notifications(
  queue: OpenDeliveryQueue,
  { version, chunks }: DeliveryOptions,
): Promise<readonly (Notification | CursorAdvance)[]> {
  const events = await queue.events();
  if (version === '0.3') return legacyTasks(queue, events);
  if (queue.cursor.seq === 0) return firstNotifications(queue, events);
  if (events === 'trimmed')
    return (await snapshot(queue)).map(({ task, ...named }) => ({ ...named, body: `{"task":${task}}` }));
  if (!chunks) return wholeArtifacts(queue, events);
  return events.map((event) => ({ deliveryId: formatEventId(event), body: event.json, cursor: cursorAt(event) }));
}
