import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '@switchyard/protocol';
import type { OpenDeliveryQueue, TaskSnapshot } from '@switchyard/push';
import { type FeedEvent, formatEventId, plainMessageIn } from '@switchyard/store';
import { cursorAt, type Notification, snapshot } from './notification.ts';

/** The gateway that answers with a plain message withdraws the task shortly after the agent's event: wait for it. */
const POLL_AFTER_MS = [10, 20, 40, 80, 160, 320];

/**
 * The first delivery to a webhook that was created with its task is what a stream begins with: the task as it was
 * created, in place of its first event; or the plain message that its caller got instead of a task. Empty: the task has
 * expired.
 */
export async function firstNotifications(
  queue: OpenDeliveryQueue,
  events: readonly FeedEvent[] | 'trimmed',
): Promise<readonly Notification[]> {
  const [created, first] = events === 'trimmed' ? [] : events;
  const task = first?.isPlainMessage ? await withdrawn(queue) : await queue.task();
  if (!task) return [];
  const message = task.isWithdrawn ? plainMessageIn(`{"task":${task.json}}`) : undefined;
  if (message) return [{ deliveryId: formatEventId(task), body: `{"message":${message}}`, cursor: cursorAt(task) }];
  if (!created)
    return (await snapshot(queue)).map(({ task: json, ...named }) => ({ ...named, body: `{"task":${json}}` }));
  return [{ deliveryId: formatEventId(created), body: taskAsCreated(task, created), cursor: cursorAt(created) }];
}

/** The task once it is withdrawn. If it is not, its caller was given the task: then the current task. */
async function withdrawn(queue: OpenDeliveryQueue): Promise<TaskSnapshot | undefined> {
  let task = await queue.task();
  for (const ms of POLL_AFTER_MS) {
    if (!task || task.isWithdrawn) return task;
    await sleep(ms);
    task = await queue.task();
  }
  return task;
}

/** The task with only its first status and its first message. The rest follows as events. */
function taskAsCreated({ json }: TaskSnapshot, created: FeedEvent): string {
  const { id, contextId, history = [] }: Task = JSON.parse(json);
  const { status } = JSON.parse(created.json).statusUpdate;
  return JSON.stringify({ task: { id, contextId, status, history: history.slice(0, 1) } });
}
