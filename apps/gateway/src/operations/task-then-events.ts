import { isTerminal } from '@switchyard/protocol';
import type { FeedItem, TaskReading } from '@switchyard/store';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';

/**
 * The task as it was read, then each later event. It is read before the stream begins, so that what is wrong
 * is still an error and not a broken stream.
 */
export async function* taskThenEvents(
  { feeds }: Backend,
  call: Call,
  taskId: string,
  reading: TaskReading,
): AsyncIterable<FeedItem> {
  const { seq, state, released, task = '' } = reading;
  yield { kind: 'task', seq, state, released, isReply: false, json: task };
  if (!isTerminal(state)) yield* feeds.follow(call.scope, taskId, { after: seq, signal: call.signal });
}
