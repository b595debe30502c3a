import { isInterrupted, isTerminal, type StreamResponse, type TaskArtifactUpdateEvent } from '@switchyard/protocol';
import type { DeliveryCursor, FeedEvent } from '@switchyard/store';

/** What an event is to a webhook that gets no chunks, and the webhook's cursor after it. */
export type Planned =
  | { readonly kind: 'pass'; readonly cursor: DeliveryCursor }
  | { readonly kind: 'event'; readonly deliveryId: string; readonly cursor: DeliveryCursor }
  | {
      readonly kind: 'artifact';
      readonly artifactId: string;
      readonly deliveryId: string;
      readonly cursor: DeliveryCursor;
    };

/**
 * Chunks are skipped, and the artifact is pending. It is delivered whole with its last chunk; if no chunk is marked as the
 * last, before the status that ends the task or asks the client for something.
 */
export function planWholeArtifacts({ seq, state, json }: FeedEvent, { pending }: DeliveryCursor): readonly Planned[] {
  const update = artifactUpdateIn(json);
  if (update) return [planArtifact(update, seq, pending)];
  const isDue = isTerminal(state) || isInterrupted(state);
  if (!isDue) return [{ kind: 'event', deliveryId: `${seq}`, cursor: { seq, pending } }];
  return [
    ...pending.map((artifactId, i) => planPending(artifactId, seq, pending.slice(i))),
    { kind: 'event', deliveryId: `${seq}`, cursor: { seq, pending: [] } },
  ];
}

/** The delivery id counts what is still pending: so it is the same in each attempt. */
function planPending(artifactId: string, seq: number, pending: DeliveryCursor['pending']): Planned {
  return {
    kind: 'artifact',
    artifactId,
    deliveryId: `${seq}.${pending.length}`,
    cursor: { seq: seq - 1, pending: pending.slice(1) },
  };
}

function planArtifact(
  { artifact, append, lastChunk }: TaskArtifactUpdateEvent,
  seq: number,
  pending: DeliveryCursor['pending'],
): Planned {
  const { artifactId } = artifact;
  const others = pending.filter((id) => id !== artifactId);
  if (!lastChunk) return { kind: 'pass', cursor: { seq, pending: [...others, artifactId] } };
  const cursor = { seq, pending: others };
  return append
    ? { kind: 'artifact', artifactId, deliveryId: `${seq}`, cursor }
    : { kind: 'event', deliveryId: `${seq}`, cursor };
}

/** A part of an artifact of which more is to come, or may be. */
export function isChunk({ json }: Pick<FeedEvent, 'json'>): boolean {
  const update = artifactUpdateIn(json);
  return update !== undefined && update.lastChunk !== true;
}

/** The store writes the kind of an event first: what is no artifact need not be parsed. */
function artifactUpdateIn(json: string): TaskArtifactUpdateEvent | undefined {
  if (!json.startsWith('{"artifactUpdate":')) return undefined;
  const response: StreamResponse = JSON.parse(json);
  return response.artifactUpdate;
}
