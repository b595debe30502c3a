import { A2AError, isTerminal, type SubscribeToTaskRequest } from '@switchyard/protocol';
import { type EventId, taskItem } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { type Backend, existingTask, requireStreaming } from './backend.ts';
import type { StreamItem } from './operation.ts';

/**
 * A2A 3.1.6: the task, then its events up to the terminal one; when resumed, the events after the last one that the
 * client has. Reads the task before the stream begins, so that errors have their own status.
 */
export async function subscribeToTask(
  backend: Backend,
  call: Call,
  { id }: SubscribeToTaskRequest,
): Promise<AsyncIterable<StreamItem>> {
  requireStreaming(call);
  const { resumeAfter } = call;
  return resumeAfter === undefined ? subscribe(backend, call, id) : resume(backend, call, id, resumeAfter);
}

async function subscribe(backend: Backend, call: Call, taskId: string): Promise<AsyncIterable<StreamItem>> {
  const { task = '', ...position } = await existingTask(backend, call, taskId);
  if (isTerminal(position.state)) throw hasEnded(taskId);
  return backend.feeds.follow(call.scope, taskId, { from: taskItem(position, task), signal: call.signal });
}

async function resume(
  backend: Backend,
  call: Call,
  taskId: string,
  after: EventId,
): Promise<AsyncIterable<StreamItem>> {
  const { state, seq, incarnation } = await existingTask(backend, call, taskId, {
    historyLength: 0,
    includeArtifacts: false,
  });
  // If the task has ended, a caller that lacks some of its events still gets them.
  const isSame = after.seq === seq && (after.incarnation ?? incarnation) === incarnation;
  if (isTerminal(state) && isSame) throw hasEnded(taskId);
  backend.emit({ kind: 'stream-resumed' });
  return backend.feeds.follow(call.scope, taskId, { after, signal: call.signal });
}

function hasEnded(taskId: string): A2AError {
  return new A2AError('UnsupportedOperation', 'The task has ended; read it with GetTask', { metadata: { taskId } });
}
