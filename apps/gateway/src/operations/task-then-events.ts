import { isTerminal } from '@switchyard/protocol';
import type { ExpectedTask, FeedItem, TaskReading } from '@switchyard/store';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';

/** Where a stream begins: the task, as JSON. */
export interface Beginning extends Pick<TaskReading, 'seq' | 'state' | 'released'> {
  readonly task?: string | Buffer;
  readonly expected?: ExpectedTask | undefined;
}

/**
 * The task as it was read, then each later event. It is read before the stream begins, so that what is wrong
 * is still an error and not a broken stream.
 */
export async function* taskThenEvents(
  { feeds }: Backend,
  call: Call,
  taskId: string,
  beginning: Beginning,
): AsyncIterable<FeedItem> {
  const { seq, state, released, task = '', expected } = beginning;
  yield { kind: 'task', seq, state, released, isReply: false, json: task.toString() };
  if (!isTerminal(state)) yield* feeds.follow(call.scope, taskId, { after: seq, expected, signal: call.signal });
}
