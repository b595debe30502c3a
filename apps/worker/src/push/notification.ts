import type { DeliveryCursor, OpenDeliveryQueue } from '@switchyard/push';
import { type EventId, formatEventId } from '@switchyard/store';

/** One delivery to a webhook. */
export interface Notification {
  /** Unique among the deliveries to the webhook, and the same in each attempt: the event's id, or begins with it. */
  readonly deliveryId: string;
  /** StreamResponse (A2A 4.3.3); for clients of 0.3 the Task. */
  readonly body: string;
  /** The cursor of the webhook after this delivery. */
  readonly cursor: DeliveryCursor;
}

/** Moves the cursor of the webhook without a delivery. */
export interface CursorAdvance {
  readonly cursor: DeliveryCursor;
  readonly body?: undefined;
}

/** The current task as a delivery. */
export interface Snapshot {
  readonly deliveryId: string;
  /** JSON of the task. */
  readonly task: string;
  readonly cursor: DeliveryCursor;
}

/** The cursor of a webhook that has received this event. */
export function cursorAt({ seq, incarnation }: EventId, pending: readonly string[] = []): DeliveryCursor {
  return { seq, incarnation, pending };
}

/** One snapshot, or none if the task has expired. */
export async function snapshot(queue: OpenDeliveryQueue): Promise<readonly Snapshot[]> {
  const task = await queue.task();
  return task ? [{ deliveryId: `${formatEventId(task)}.task`, task: task.json, cursor: cursorAt(task) }] : [];
}
