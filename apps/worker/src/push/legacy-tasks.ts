import type { FeedEvent, OpenLane } from '@switchyard/store';
import { isChunk } from './artifact-update-in.ts';
import type { Notification, Passage } from './notification.ts';
import { snapshot } from './snapshot.ts';
import { toLegacyTask } from './to-legacy-task.ts';

/**
 * Clients of A2A 0.3 are told the task as it is and no events. So several events at once are told with one task, and chunks
 * alone are no reason to send all of it: the status, or the end of the artifact, that follows is.
 */
export async function legacyTasks(
  lane: OpenLane,
  events: readonly FeedEvent[] | 'trimmed',
): Promise<readonly (Notification | Passage)[]> {
  const last = events === 'trimmed' ? undefined : events.at(-1);
  if (events !== 'trimmed' && last && events.every(isChunk)) return [{ place: { seq: last.seq, owed: [] } }];
  const tasks = await snapshot(lane);
  return Promise.all(tasks.map(async ({ mark, task, place }) => ({ mark, place, body: await toLegacyTask(task) })));
}
