import type { Chunk, EncodedEvent } from './encoded-event.ts';

/** Several chunks of one artifact, as append-chunks.lua takes them. */
export interface Chunks extends Omit<Chunk, 'json'> {
  readonly json: readonly string[];
}

/** The events as chunks of one artifact; undefined if they are anything else. */
export function chunksOf(events: readonly EncodedEvent[]): Chunks | undefined {
  const [one] = events;
  if (!one?.chunk) return undefined;
  const { artifact, first } = one.chunk;
  const json: string[] = [];
  let growth = '';
  for (const { chunk } of events) {
    if (chunk?.artifact !== artifact || chunk.first !== first) return undefined;
    growth += chunk.growth;
    json.push(chunk.json);
  }
  return { artifact, first, growth, json };
}
