import type { OpenLane } from '@switchyard/store';
import type { Notification, Passage } from './notification.ts';
import { wholeArtifacts } from './whole-artifacts.ts';

/**
 * What comes next, as far as it is there. Where the stream no longer reaches back, the task as it is stands for what is
 * missing. Nothing at all: the task has expired.
 */
export async function nextNotifications(lane: OpenLane, chunks: boolean): Promise<readonly (Notification | Passage)[]> {
  const events = await lane.events();
  if (events === 'trimmed') return snapshot(lane);
  if (!chunks) return wholeArtifacts(lane, events);
  return events.map(({ seq, json }) => ({ mark: `${seq}`, body: json, place: { seq, owed: [] } }));
}

async function snapshot(lane: OpenLane): Promise<readonly Notification[]> {
  const task = await lane.task();
  if (!task) return [];
  return [{ mark: `${task.seq}.task`, body: `{"task":${task.json}}`, place: { seq: task.seq, owed: [] } }];
}
