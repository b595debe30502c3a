import type { OpenLane, Place } from '@switchyard/store';

/** The task as it is. */
export interface Snapshot {
  readonly mark: string;
  /** JSON of the task. */
  readonly task: string;
  readonly place: Place;
}

/** One, or none if the task has expired. */
export async function snapshot(lane: OpenLane): Promise<readonly Snapshot[]> {
  const task = await lane.task();
  return task ? [{ mark: `${task.seq}.task`, task: task.json, place: { seq: task.seq, owed: [] } }] : [];
}
