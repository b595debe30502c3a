import { resumableStreamsUri, type StreamResponse } from '@switchyard/protocol';
import { type EventId, formatEventId } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { activeExtensions } from '../call/extensions.ts';
import type { StreamItem } from './operation.ts';

/**
 * The events of a stream, each with its id in its metadata for a client that has activated the extension: not every
 * binding has a place for it beside the event (docs/extensions/resumable-streams.md).
 */
export function withEventIds(call: Call, items: AsyncIterable<StreamItem>): AsyncIterable<StreamItem> {
  return activeExtensions(call).includes(resumableStreamsUri) ? identified(items) : items;
}

async function* identified(items: AsyncIterable<StreamItem>): AsyncGenerator<StreamItem, void, undefined> {
  for await (const { json, ...id } of items) yield { ...id, json: identify(json.toString(), id) };
}

function identify(json: string, id: EventId): string {
  const response: StreamResponse = JSON.parse(json);
  // A plain message ends its stream, and has no task to subscribe to.
  const event = response.statusUpdate ?? response.artifactUpdate ?? response.task;
  if (event) event.metadata = { ...event.metadata, [resumableStreamsUri]: { eventId: formatEventId(id) } };
  return JSON.stringify(response);
}
