import { A2AError, isTerminal } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import { awaitItem } from './await-item.ts';
import { type Backend, readTask, taskNotFound } from './backend.ts';
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
    const { seq } = await readTask(backend, call, id, { historyLength: 0, includeArtifacts: false });
    throw generationMismatch(id, { expected: ifSeq, current: seq });
  }
  if (verdict === 'terminal') {
    await readTask(backend, call, id, { historyLength: 0, includeArtifacts: false });
    throw new A2AError('TaskNotCancelable', 'The task has ended already', { metadata: { taskId: id } });
  }
  if (verdict === 'requested' && mayWait(call)) {
    const waitMs = backend.settings.cancelWaitMs;
    await awaitItem(backend, call, { taskId: id, waitMs, until: (item) => isTerminal(item.state) });
  }
  const { task, seq } = await readTask(backend, call, id);
  return { json: task, seq };
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
