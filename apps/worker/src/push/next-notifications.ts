import type { OpenLane, Webhook } from '@switchyard/store';
import { legacyTasks } from './legacy-tasks.ts';
import type { CursorAdvance, Notification } from './notification.ts';
import { snapshot } from './notification.ts';
import { opening } from './opening.ts';
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
  lane: OpenLane,
  { version, chunks }: DeliveryOptions,
): Promise<readonly (Notification | CursorAdvance)[]> {
  const events = await lane.events();
  if (version === '0.3') return legacyTasks(lane, events);
  if (lane.place.seq === 0) return opening(lane, events);
  if (events === 'trimmed')
    return (await snapshot(lane)).map(({ task, ...named }) => ({ ...named, body: `{"task":${task}}` }));
  if (!chunks) return wholeArtifacts(lane, events);
  return events.map(({ seq, json }) => ({ deliveryId: `${seq}`, body: json, place: { seq, owed: [] } }));
}
