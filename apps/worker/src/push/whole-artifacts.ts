import type { Task } from '@switchyard/protocol';
import type { DeliveryCursor, FeedEvent, OpenDeliveryQueue } from '@switchyard/store';
import type { CursorAdvance, Notification } from './notification.ts';
import { type Planned, planWholeArtifacts } from './plan-whole-artifacts.ts';

interface Step {
  readonly planned: Planned;
  /** Of the event. */
  readonly json: string;
}

/** The events of a delivery queue without chunks: see `planWholeArtifacts`. */
export async function wholeArtifacts(
  queue: OpenDeliveryQueue,
  events: readonly FeedEvent[],
): Promise<readonly (Notification | CursorAdvance)[]> {
  const steps = planAll(queue.cursor, events);
  const task = steps.some(({ planned }) => planned.kind === 'artifact') ? await taskOf(queue) : undefined;
  const coming = steps.map((step) => toNotification(step, task));
  // A notification moves the cursor past what was skipped before it: only a skip at the end has to be stored.
  return coming.filter(({ body }, i) => body !== undefined || i === coming.length - 1);
}

function planAll(cursor: DeliveryCursor, events: readonly FeedEvent[]): Step[] {
  const steps: Step[] = [];
  for (const event of events) {
    const planned = planWholeArtifacts(event, steps.at(-1)?.planned.cursor ?? cursor);
    steps.push(...planned.map((each) => ({ planned: each, json: event.json })));
  }
  return steps;
}

/** A later artifact than that of the event may be delivered: it is the same one, further on. */
function toNotification({ planned, json }: Step, task: Task | undefined): Notification | CursorAdvance {
  const { kind, cursor } = planned;
  if (kind === 'pass') return { cursor };
  if (kind === 'event') return { deliveryId: planned.deliveryId, body: json, cursor };
  const artifact = task?.artifacts?.find(({ artifactId }) => artifactId === planned.artifactId);
  if (!task || !artifact) return { cursor };
  const update = { taskId: task.id, contextId: task.contextId, artifact, lastChunk: true };
  return { deliveryId: planned.deliveryId, body: JSON.stringify({ artifactUpdate: update }), cursor };
}

async function taskOf(queue: OpenDeliveryQueue): Promise<Task | undefined> {
  const task = await queue.task();
  return task && JSON.parse(task.json);
}
