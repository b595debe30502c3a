import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '@switchyard/protocol';
import {
  type FeedEvent,
  formatEventId,
  type OpenDeliveryQueue,
  plainMessageIn,
  type TaskSnapshot,
} from '@switchyard/store';
import { cursorAt, type Notification, snapshot } from './notification.ts';

/** The gateway that answers with a plain message withdraws the task right behind the agent's event: it is given time. */
const LOOK_AGAIN_AFTER_MS = [10, 20, 40, 80, 160, 320];

/**
 * The first delivery to a webhook that came with the message which made the task is what a stream begins with: the task
 * as it was made, in the place of its first event; or the plain message that its caller got instead of a task. Nothing:
 * the task has expired.
 */
export async function firstNotifications(
  queue: OpenDeliveryQueue,
  events: readonly FeedEvent[] | 'trimmed',
): Promise<readonly Notification[]> {
  const [made, first] = events === 'trimmed' ? [] : events;
  const task = first?.isPlainMessage ? await withdrawn(queue) : await queue.task();
  if (!task) return [];
  const message = task.isWithdrawn ? plainMessageIn(`{"task":${task.json}}`) : undefined;
  if (message) return [{ deliveryId: formatEventId(task), body: `{"message":${message}}`, cursor: cursorAt(task) }];
  if (!made) return (await snapshot(queue)).map(({ task: json, ...named }) => ({ ...named, body: `{"task":${json}}` }));
  return [{ deliveryId: formatEventId(made), body: taskAsMade(task, made), cursor: cursorAt(made) }];
}

/** The task once it is withdrawn; if it is not, its caller has it: the task as it is. */
async function withdrawn(queue: OpenDeliveryQueue): Promise<TaskSnapshot | undefined> {
  let task = await queue.task();
  for (const ms of LOOK_AGAIN_AFTER_MS) {
    if (!task || task.isWithdrawn) return task;
    await sleep(ms);
    task = await queue.task();
  }
  return task;
}

/** With its first status and its first message alone. What came since follows as events. */
function taskAsMade({ json }: TaskSnapshot, made: FeedEvent): string {
  const { id, contextId, history = [] }: Task = JSON.parse(json);
  const { status } = JSON.parse(made.json).statusUpdate;
  return JSON.stringify({ task: { id, contextId, status, history: history.slice(0, 1) } });
}
