import { A2AError, isTerminal, type SubscribeToTaskRequest } from '@switchyard/protocol';
import type { FeedItem } from '@switchyard/store';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';
import type { StreamItem } from './operation.ts';
import { readTask } from './read-task.ts';
import { requireStreaming } from './require-streaming.ts';
import { taskThenEvents } from './task-then-events.ts';
import { toStreamItems } from './to-stream-items.ts';

/** A2A 3.1.6: the task, then its events up to the terminal one; resumed, the events that the caller has not seen. */
export async function subscribeToTask(
  backend: Backend,
  call: Call,
  { id }: SubscribeToTaskRequest,
): Promise<AsyncIterable<StreamItem>> {
  requireStreaming(call);
  const { resumeAfter } = call;
  return toStreamItems(
    resumeAfter === undefined ? await subscribe(backend, call, id) : await resume(backend, call, id, resumeAfter),
  );
}

async function subscribe(backend: Backend, call: Call, taskId: string): Promise<AsyncIterable<FeedItem>> {
  const reading = await readTask(backend, call, taskId);
  if (isTerminal(reading.state)) throw hasEnded(taskId);
  return taskThenEvents(backend, call, taskId, reading);
}

async function resume(backend: Backend, call: Call, taskId: string, after: number): Promise<AsyncIterable<FeedItem>> {
  const { state, seq } = await readTask(backend, call, taskId, { historyLength: 0, includeArtifacts: false });
  // A task that ended meanwhile still owes the caller what it has not seen.
  if (isTerminal(state) && after === seq) throw hasEnded(taskId);
  return backend.feeds.follow(call.scope, taskId, { after, signal: call.signal });
}

function hasEnded(taskId: string): A2AError {
  return new A2AError('UnsupportedOperation', 'The task has ended; read it with GetTask', { metadata: { taskId } });
}
