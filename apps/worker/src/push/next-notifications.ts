import type { OpenLane, Webhook } from '@switchyard/store';
import { legacyTasks } from './legacy-tasks.ts';
import type { Notification, Passage } from './notification.ts';
import { snapshot } from './snapshot.ts';
import { wholeArtifacts } from './whole-artifacts.ts';

/** How a webhook wants to be told. */
export interface Telling {
  readonly version: Webhook['version'];
  readonly chunks: boolean;
}

/**
 * What comes next, as far as it is there. Where the stream no longer reaches back, the task as it is stands for what is
 * missing. Nothing at all: the task has expired.
 */
export async function nextNotifications(
  lane: OpenLane,
  { version, chunks }: Telling,
): Promise<readonly (Notification | Passage)[]> {
  const events = await lane.events();
  if (version === '0.3') return legacyTasks(lane, events);
  if (events === 'trimmed')
    return (await snapshot(lane)).map(({ task, ...named }) => ({ ...named, body: `{"task":${task}}` }));
  if (!chunks) return wholeArtifacts(lane, events);
  return events.map(({ seq, json }) => ({ mark: `${seq}`, body: json, place: { seq, owed: [] } }));
}
