import { isInterrupted, isTerminal, type StreamResponse, type TaskArtifactUpdateEvent } from '@switchyard/protocol';
import type { FeedEvent, Place } from '@switchyard/store';

/** What an event is to a webhook that gets no chunks, and the webhook's cursor after it. */
export type Planned =
  | { readonly kind: 'pass'; readonly place: Place }
  | { readonly kind: 'event'; readonly deliveryId: string; readonly place: Place }
  | { readonly kind: 'artifact'; readonly artifactId: string; readonly deliveryId: string; readonly place: Place };

/**
 * Chunks are skipped, and the artifact is owed. It is delivered whole with its last chunk; if no chunk is marked as the
 * last, before the status that ends the task or asks the client for something.
 */
export function planWholeArtifacts({ seq, state, json }: FeedEvent, { owed }: Place): readonly Planned[] {
  const update = artifactUpdateIn(json);
  if (update) return [planArtifact(update, seq, owed)];
  const isDue = isTerminal(state) || isInterrupted(state);
  if (!isDue) return [{ kind: 'event', deliveryId: `${seq}`, place: { seq, owed } }];
  return [
    ...owed.map((artifactId, i) => planOwed(artifactId, seq, owed.slice(i))),
    { kind: 'event', deliveryId: `${seq}`, place: { seq, owed: [] } },
  ];
}

/** The delivery id counts what is still owed: so it is the same in each attempt. */
function planOwed(artifactId: string, seq: number, owed: Place['owed']): Planned {
  return {
    kind: 'artifact',
    artifactId,
    deliveryId: `${seq}.${owed.length}`,
    place: { seq: seq - 1, owed: owed.slice(1) },
  };
}

function planArtifact(
  { artifact, append, lastChunk }: TaskArtifactUpdateEvent,
  seq: number,
  owed: Place['owed'],
): Planned {
  const { artifactId } = artifact;
  const others = owed.filter((id) => id !== artifactId);
  if (!lastChunk) return { kind: 'pass', place: { seq, owed: [...others, artifactId] } };
  const place = { seq, owed: others };
  return append
    ? { kind: 'artifact', artifactId, deliveryId: `${seq}`, place }
    : { kind: 'event', deliveryId: `${seq}`, place };
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
