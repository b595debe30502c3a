import { isInterrupted, isTerminal, type StreamResponse, type TaskArtifactUpdateEvent } from '@switchyard/protocol';
import type { DeliveryCursor } from '@switchyard/push';
import { type EventId, type FeedEvent, formatEventId } from '@switchyard/store';
import { cursorAt } from './notification.ts';

/** What a webhook without chunks gets for an event, and its cursor after it. */
export type PlannedStep =
  | { readonly kind: 'skip'; readonly cursor: DeliveryCursor }
  | { readonly kind: 'event'; readonly deliveryId: string; readonly cursor: DeliveryCursor }
  | {
      readonly kind: 'artifact';
      readonly artifactId: string;
      readonly deliveryId: string;
      readonly cursor: DeliveryCursor;
    };

/**
 * Skips chunks and marks their artifact as pending. The whole artifact is delivered with its last chunk, or, if no
 * chunk is marked as the last, before the status that ends the task or waits for the client.
 */
export function planWholeArtifacts(event: FeedEvent, before: DeliveryCursor): readonly PlannedStep[] {
  const { pending } = before;
  const update = artifactUpdateIn(event.json);
  if (update) return [planArtifact(update, event, pending)];
  const deliveryId = formatEventId(event);
  const isDue = isTerminal(event.state) || isInterrupted(event.state);
  if (!isDue) return [{ kind: 'event', deliveryId, cursor: cursorAt(event, pending) }];
  return [
    // The delivery id counts the artifacts that are still pending, so that it is the same in each attempt.
    ...pending.map((artifactId, i) => ({
      kind: 'artifact' as const,
      artifactId,
      deliveryId: `${deliveryId}.${pending.length - i}`,
      cursor: cursorAt(before, pending.slice(i + 1)),
    })),
    { kind: 'event', deliveryId, cursor: cursorAt(event) },
  ];
}

function planArtifact(
  { artifact, append, lastChunk }: TaskArtifactUpdateEvent,
  event: EventId,
  pending: DeliveryCursor['pending'],
): PlannedStep {
  const { artifactId } = artifact;
  const others = pending.filter((id) => id !== artifactId);
  if (!lastChunk) return { kind: 'skip', cursor: cursorAt(event, [...others, artifactId]) };
  const [deliveryId, cursor] = [formatEventId(event), cursorAt(event, others)];
  return append ? { kind: 'artifact', artifactId, deliveryId, cursor } : { kind: 'event', deliveryId, cursor };
}

/** Whether the event is a chunk of an artifact that may have more. */
export function isChunk({ json }: Pick<FeedEvent, 'json'>): boolean {
  const update = artifactUpdateIn(json);
  return update !== undefined && update.lastChunk !== true;
}

/** The store writes the kind of an event first, so other events need not be parsed. */
function artifactUpdateIn(json: string): TaskArtifactUpdateEvent | undefined {
  if (!json.startsWith('{"artifactUpdate":')) return undefined;
  const response: StreamResponse = JSON.parse(json);
  return response.artifactUpdate;
}
