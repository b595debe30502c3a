import { isInterrupted, isTerminal, type TaskArtifactUpdateEvent } from '@switchyard/protocol';
import type { FeedEvent, Place } from '@switchyard/store';
import { artifactUpdateIn } from './artifact-update-in.ts';

/** What an event is to a webhook that is told no chunks, and where it is then. */
export type Planned =
  | { readonly kind: 'pass'; readonly place: Place }
  | { readonly kind: 'event'; readonly mark: string; readonly place: Place }
  | { readonly kind: 'artifact'; readonly artifactId: string; readonly mark: string; readonly place: Place };

/**
 * Chunks are passed over, and the artifact is owed. It is told whole with its last chunk; if none is marked as the last,
 * before the status that ends the task or asks the client for something.
 */
export function planWholeArtifacts({ seq, state, json }: FeedEvent, { owed }: Place): readonly Planned[] {
  const update = artifactUpdateIn(json);
  if (update) return [planArtifact(update, seq, owed)];
  const isDue = isTerminal(state) || isInterrupted(state);
  if (!isDue) return [{ kind: 'event', mark: `${seq}`, place: { seq, owed } }];
  return [
    ...owed.map((artifactId, i) => planOwed(artifactId, seq, owed.slice(i))),
    { kind: 'event', mark: `${seq}`, place: { seq, owed: [] } },
  ];
}

/** Named by how many are still owed: so it has the same name when it is tried again. */
function planOwed(artifactId: string, seq: number, owed: Place['owed']): Planned {
  return { kind: 'artifact', artifactId, mark: `${seq}.${owed.length}`, place: { seq: seq - 1, owed: owed.slice(1) } };
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
  return append ? { kind: 'artifact', artifactId, mark: `${seq}`, place } : { kind: 'event', mark: `${seq}`, place };
}
