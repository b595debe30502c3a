import type { ServerResponse } from 'node:http';
import type { StreamItem } from '../operations/operation.ts';
import { type FrameFormat, toFrames } from './to-frames.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import { writeFrames } from './write-frames.ts';

export interface StreamFormat extends FrameFormat {
  readonly heartbeatMs: number;
}

/** From the events of a task to the socket. Resolves when the stream has ended, or its client is gone. */
export function serveStream(
  res: ServerResponse,
  items: AsyncIterable<StreamItem>,
  format: StreamFormat,
): Promise<void> {
  return writeFrames(res, withHeartbeat(toFrames(items, format), format.heartbeatMs));
}
