import type { ServerResponse } from 'node:http';
import { type EventId, formatEventId } from '@switchyard/store';
import { drained } from '../exchange/exchange.ts';
import type { StreamItem } from '../operations/operation.ts';
import { FrameBuffer } from './frame-buffer.ts';

export interface StreamFormat {
  /** A comment is sent whenever there was no event for so long. */
  readonly heartbeatMs: number;
  /** How a binding writes what goes into the `data` of an event. */
  data(json: string): string;
  /** JSON of an error that came when the stream had begun. */
  error(error: unknown): string;
}

const eventStreamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx would hold events back until its buffer is full.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * From the events of a task to the socket, as server-sent events. Those that are there at once leave in one write; a
 * reader that is slower than its events stops their source. A fault becomes the last event: the status line has gone
 * out long before. Resolves when the stream has ended, or its client is gone.
 */
export async function serveStream(
  res: ServerResponse,
  items: AsyncIterable<StreamItem>,
  format: StreamFormat,
): Promise<void> {
  for (const [name, value] of Object.entries(eventStreamHeaders)) res.setHeader(name, value);
  const buffer = new FrameBuffer(res);
  const heartbeat = setInterval(() => buffer.addUnlessBusy(heartbeatFrame), format.heartbeatMs);
  const iterator = items[Symbol.asyncIterator]();
  /** Not `for await`: that would keep the last event, which may be a large task, until the next one comes. */
  const writeNext = async (): Promise<boolean> => {
    const { done, value } = await iterator.next();
    if (done) return false;
    buffer.add(eventFrame(value, format.data(value.json)));
    heartbeat.refresh();
    if (res.writableNeedDrain) await drained(res);
    return true;
  };
  try {
    while (await writeNext());
  } catch (error) {
    buffer.add(errorFrame(format.error(error)));
  } finally {
    clearInterval(heartbeat);
    buffer.flush();
    res.end();
  }
}

/** Sent in silence; clients ignore it. */
export const heartbeatFrame = ': heartbeat\n\n';

/**
 * One server-sent event. A line break would end its `data`; JSON has them only between its tokens, so that
 * taking them out changes no value.
 */
export function eventFrame(id: EventId, json: string): string {
  return `id: ${formatEventId(id)}\ndata: ${json.includes('\n') ? json.replaceAll('\n', '') : json}\n\n`;
}

/** The last event of a stream that broke. It has no id: the client resumes after the last event that it has seen. */
export function errorFrame(json: string): string {
  return `event: error\ndata: ${json}\n\n`;
}
