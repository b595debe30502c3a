import type { OpenDeliveryQueue } from '@switchyard/push';
import type { FeedEvent } from '@switchyard/store';
import { type CursorAdvance, cursorAt, type Notification, snapshot } from './notification.ts';
import { isChunk } from './plan-whole-artifacts.ts';

/**
 * Clients of A2A 0.3 get the current task instead of events. So one delivery stands for several events, and chunks
 * alone cause none: the status that follows does, or the end of the artifact.
 */
export async function tasksForV03(
  queue: OpenDeliveryQueue,
  events: readonly FeedEvent[] | 'trimmed',
): Promise<readonly (Notification | CursorAdvance)[]> {
  const last = events === 'trimmed' ? undefined : events.at(-1);
  if (events !== 'trimmed' && last && events.every(isChunk)) return [{ cursor: cursorAt(last) }];
  const tasks = await snapshot(queue);
  return Promise.all(
    tasks.map(async ({ deliveryId, task, cursor }) => ({ deliveryId, cursor, body: await toLegacyTask(task) })),
  );
}

/**
 * A task in the form of A2A 0.3. The SDK, which converts it, is loaded only where there are such clients.
 * @param json of a Task
 */
async function toLegacyTask(json: string): Promise<string> {
  const [{ Task }, { V03PushNotificationSerializer }] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/compat/v0_3/server'),
  ]);
  const task = Task.fromJSON(JSON.parse(json));
  const { body } = new V03PushNotificationSerializer().serialize({ payload: { $case: 'task', value: task } }, task);
  return typeof body === 'string' ? body : JSON.stringify(body);
}
