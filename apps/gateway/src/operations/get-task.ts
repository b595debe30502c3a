import { type GetTaskRequest, isTerminal } from '@switchyard/protocol';
import type { EventId, TaskReading, TaskView } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { awaitItem } from './await-item.ts';
import type { Backend } from './backend.ts';
import { readTask } from './backend.ts';
import type { UnaryResult } from './operation.ts';

/** A2A 3.1.3. A caller that has this version, or asks for the next one, may wait for a change instead of polling. */
export async function getTask(backend: Backend, call: Call, request: GetTaskRequest): Promise<UnaryResult> {
  const view = { historyLength: request.historyLength, version: call.knownVersion };
  const reading = await readTask(backend, call, request.id, view);
  if (!shouldWait(call, reading)) return result(reading);
  const { seq, incarnation } = reading;
  // Returned, not awaited: the task may be large, and the wait does not need it.
  return readChanged(backend, call, { taskId: request.id, view, after: { seq, incarnation } });
}

async function readChanged(
  backend: Backend,
  call: Call,
  { taskId, view, after }: { readonly taskId: string; readonly view: TaskView; readonly after: EventId },
): Promise<UnaryResult> {
  const waitMs = Math.min(call.waitMs, backend.settings.maxPollWaitMs);
  await awaitItem(backend, call, { as: 'poll', taskId, after, waitMs, until: () => true });
  return result(await readTask(backend, call, taskId, view));
}

/** There is no wait if the task has changed already, or has ended. */
function shouldWait({ waitMs, knownVersion }: Call, { state, version }: TaskReading): boolean {
  return waitMs > 0 && !isTerminal(state) && (knownVersion === undefined || knownVersion === version);
}

function result({ task, version }: TaskReading): UnaryResult {
  return { json: task, version };
}
