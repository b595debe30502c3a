import { resumableStreamsUri, type StreamResponse } from '@switchyard/protocol';
import { type EventId, formatEventId, type Json } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { isActive } from '../call/extensions.ts';

interface Event extends EventId {
  /** A2A StreamResponse. */
  readonly json: Json;
}

/**
 * The events of a stream, each with its id in its metadata for a client that has activated the extension: not every
 * binding has a place for it beside the event (docs/extensions/resumable-streams.md).
 */
export function withEventIds(call: Call, items: AsyncIterable<Event>): AsyncIterable<Event> {
  return isActive(call, resumableStreamsUri) ? identified(items) : items;
}

async function* identified(items: AsyncIterable<Event>): AsyncGenerator<Event, void, undefined> {
  for await (const { json, ...id } of items) yield { ...id, json: identify(json.toString(), id) };
}

function identify(json: string, id: EventId): string {
  const response: StreamResponse = JSON.parse(json);
  // A plain message ends its stream, and has no task to subscribe to.
  const object = response.statusUpdate ?? response.artifactUpdate ?? response.task;
  if (object) object.metadata = { ...object.metadata, [resumableStreamsUri]: { eventId: formatEventId(id) } };
  return JSON.stringify(response);
}
