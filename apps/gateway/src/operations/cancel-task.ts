import { A2AError, isTerminal } from '@switchyard/protocol';
import type { ScheduleReading } from '@switchyard/schedules';
import type { Call } from '../call/call.ts';
import { awaitItem } from './await-item.ts';
import { type Backend, existingTask, taskNotFound } from './backend.ts';
import { withKey } from './idempotency.ts';
import { type ConditionalCancel, generationMismatch } from './if-generation.ts';
import type { UnaryResult } from './operation.ts';

/**
 * A2A 3.1.5. Waits briefly for the running turn to stop, then answers with the current task. Canceling a canceled task
 * is not an error.
 */
export function cancelTask(backend: Backend, call: Call, request: ConditionalCancel): Promise<UnaryResult> {
  const { id, ifGenerationMatch } = request;
  const change = { operation: 'CancelTask', taskId: id, request: { id, ifGenerationMatch } };
  return withKey(backend.tasks, call, change, () => cancel(backend, call, request));
}

async function cancel(
  backend: Backend,
  call: Call,
  { id, ifGenerationMatch: ifSeq }: ConditionalCancel,
): Promise<UnaryResult> {
  const verdict = await backend.tasks.cancel(call.scope, id, { ifSeq });
  if (verdict === 'missing') throw taskNotFound(id);
  if (verdict === 'other-seq') {
    const { seq } = await existingTask(backend, call, id, { historyLength: 0, includeArtifacts: false });
    throw generationMismatch(id, { expected: ifSeq, current: seq });
  }
  if (verdict === 'terminal') {
    await existingTask(backend, call, id, { historyLength: 0, includeArtifacts: false });
    throw taskHasEnded(id, await backend.schedules.read(id, call.scope.principal));
  }
  if (verdict === 'requested' && mayWait(call)) {
    const waitMs = backend.settings.cancelWaitMs;
    await awaitItem(backend, call, { taskId: id, waitMs, until: (item) => isTerminal(item.state) });
  }
  const { task, seq } = await existingTask(backend, call, id);
  return { json: task, seq };
}

/** @param schedule the one that goes on without the task */
export function taskHasEnded(taskId: string, schedule: ScheduleReading | undefined): A2AError {
  if (!schedule) return new A2AError('TaskNotCancelable', 'The task has ended already', { metadata: { taskId } });
  const { scheduleId, nextTaskId } = schedule;
  const message = `The task has ended already, and its schedule goes on: end schedule ${scheduleId}`;
  const metadata = { taskId, scheduleId, ...(nextTaskId !== undefined && { nextTaskId }) };
  return new A2AError('TaskNotCancelable', message, { metadata });
}

/** Answers with the canceling task, also if no further request may be held. */
function mayWait(call: Call): boolean {
  try {
    return !call.signal.aborted;
  } catch (thrown) {
    if (thrown instanceof A2AError) return false;
    throw thrown;
  }
}
