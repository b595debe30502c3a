import type { Task } from '@switchyard/protocol';
import type { DeliveryCursor, OpenDeliveryQueue } from '@switchyard/push';
import type { FeedEvent } from '@switchyard/store';
import type { CursorAdvance, Notification } from './notification.ts';
import { type PlannedStep, planWholeArtifacts } from './plan-whole-artifacts.ts';

interface PlannedEvent {
  readonly planned: PlannedStep;
  /** JSON of the event. */
  readonly json: string;
}

/** The events of a delivery queue without chunks: see `planWholeArtifacts`. */
export async function wholeArtifacts(
  queue: OpenDeliveryQueue,
  events: readonly FeedEvent[],
): Promise<readonly (Notification | CursorAdvance)[]> {
  const plan = planAll(queue.cursor, events);
  const task = plan.some(({ planned }) => planned.kind === 'artifact') ? await taskOf(queue) : undefined;
  const next = plan.map((event) => toNotification(event, task));
  // A notification moves the cursor past the events skipped before it: only a skip at the end has to be stored.
  return next.filter(({ body }, i) => body !== undefined || i === next.length - 1);
}

function planAll(cursor: DeliveryCursor, events: readonly FeedEvent[]): PlannedEvent[] {
  const plan: PlannedEvent[] = [];
  for (const event of events) {
    const planned = planWholeArtifacts(event, plan.at(-1)?.planned.cursor ?? cursor);
    plan.push(...planned.map((each) => ({ planned: each, json: event.json })));
  }
  return plan;
}

/** The artifact is read from the current task, so it may be newer than the event. */
function toNotification({ planned, json }: PlannedEvent, task: Task | undefined): Notification | CursorAdvance {
  const { kind, cursor } = planned;
  if (kind === 'skip') return { cursor };
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
