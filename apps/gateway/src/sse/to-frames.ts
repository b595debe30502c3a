import type { StreamItem } from '../operations/operation.ts';
import { errorFrame, eventFrame } from './frame.ts';

/** How a binding writes what goes into the `data` of an event. */
export interface FrameFormat {
  data(json: string): string;
  /** JSON of an error that came when the stream had begun. */
  error(error: unknown): string;
}

/** Items as server-sent events. A fault becomes the last event: the status line has gone out long before. */
export async function* toFrames(items: AsyncIterable<StreamItem>, format: FrameFormat): AsyncIterable<string> {
  try {
    for await (const { seq, json } of items) yield eventFrame(seq, format.data(json));
  } catch (error) {
    yield errorFrame(format.error(error));
  }
}
