import type { StreamResponse, TaskArtifactUpdateEvent } from '@switchyard/protocol';
import type { FeedEvent } from '@switchyard/store';

/** A part of an artifact of which more is to come, or may be. */
export function isChunk({ json }: Pick<FeedEvent, 'json'>): boolean {
  const update = artifactUpdateIn(json);
  return update !== undefined && update.lastChunk !== true;
}

/** The store writes the kind of an event first: what is no artifact need not be parsed. */
export function artifactUpdateIn(json: string): TaskArtifactUpdateEvent | undefined {
  if (!json.startsWith('{"artifactUpdate":')) return undefined;
  const response: StreamResponse = JSON.parse(json);
  return response.artifactUpdate;
}
