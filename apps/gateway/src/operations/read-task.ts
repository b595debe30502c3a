import { A2AError } from '@switchyard/protocol';
import type { TaskReading, TaskView } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';

/** @throws {A2AError} TaskNotFound */
export async function readTask({ tasks }: Backend, call: Call, taskId: string, view?: TaskView): Promise<TaskReading> {
  const reading = await tasks.read(call.scope, taskId, view);
  if (!reading || reading.isWithdrawn) throw taskNotFound(taskId);
  return reading;
}

/** No such task, or none of this caller's: the two are not told apart (A2A 3.3.2). */
export function taskNotFound(taskId: string): A2AError {
  return new A2AError('TaskNotFound', 'The task does not exist or is not accessible', { metadata: { taskId } });
}
