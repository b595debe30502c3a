import { A2AError, invalidParams, isTerminal, rerunUri } from '@switchyard/protocol';
import { idSchema, parse } from '@switchyard/protocol/schemas';
import type { StepsOfTask } from '@switchyard/store';
import { z } from 'zod';
import type { Call } from '../call/call.ts';
import { type Backend, existingTask } from './backend.ts';
import type { ConditionalSend } from './if-generation.ts';

const sourceSchema = z.object({ taskId: idSchema, fromStep: z.string().min(1).max(1_024).optional() });
const messageSchema = z.object({ message: z.object({ metadata: z.object({ [rerunUri]: sourceSchema }) }) });

/** The old task, and the step from which it runs again. */
type Source = z.infer<typeof sourceSchema>;

/** A message that reruns a task, as a message that creates a task in the same context. */
export interface Rerun {
  readonly request: ConditionalSend;
  /** Unset: the new task has no stored step results. */
  readonly steps?: StepsOfTask;
}

const view = { historyLength: 0, includeArtifacts: false };

/**
 * Reads the rerun extension (docs/extensions/rerun.md). A retry gets the first answer, also if the old task has been
 * deleted.
 * @throws {A2AError} InvalidParams, TaskNotFound, UnsupportedOperation
 */
export async function readRerun(backend: Backend, call: Call, request: ConditionalSend): Promise<Rerun> {
  const { message } = request;
  if (message.metadata?.[rerunUri] === undefined) return { request };
  const source = parse(messageSchema, request).message.metadata[rerunUri] ?? { taskId: '' };
  if (message.taskId !== undefined)
    throw invalidParams([{ field: 'message.taskId', description: 'must be absent: the message creates a new task' }]);
  try {
    return await readSource(backend, call, request, source);
  } catch (error) {
    const contextId = error instanceof A2AError && (await contextOfRetry(backend, call, request, source.taskId));
    if (!contextId) throw error;
    return { request: inContext(request, contextId, source.taskId) };
  }
}

/** Of the old task. */
async function readSource(
  backend: Backend,
  call: Call,
  request: ConditionalSend,
  { taskId, fromStep }: Source,
): Promise<Rerun> {
  const { message } = request;
  const { task, state } = await existingTask(backend, call, taskId, view);
  if (!isTerminal(state))
    throw new A2AError('UnsupportedOperation', 'The task has not ended: cancel it first', { metadata: { taskId } });
  const { contextId }: { contextId: string } = JSON.parse(task?.toString() ?? '');
  if (message.contextId !== undefined && message.contextId !== contextId)
    throw invalidParams([{ field: 'message.contextId', description: 'must be absent, or that of the task' }]);
  const names = await backend.tasks.stepsBefore(call.scope, taskId, fromStep);
  if (!names)
    throw invalidParams([
      {
        field: `message.metadata["${rerunUri}"].fromStep`,
        description: 'is not a step of this task with a stored result',
      },
    ]);
  return {
    request: inContext(request, contextId, taskId),
    ...(names.length > 0 && { steps: { taskId, names } }),
  };
}

/** The context of the task that an earlier attempt of the same message, or one with the same key, created. */
async function contextOfRetry(
  { tasks }: Backend,
  { scope, idempotencyKey }: Call,
  { message }: ConditionalSend,
  taskId: string,
): Promise<string | undefined> {
  const sent = { message, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const madeId = await tasks.taskOfMessage(scope, taskId, sent);
  const made = madeId === undefined ? undefined : await tasks.read(scope, madeId, view);
  return made?.task && JSON.parse(made.task.toString()).contextId;
}

function inContext(request: ConditionalSend, contextId: string, taskId: string): ConditionalSend {
  const { message } = request;
  const referenceTaskIds = [...new Set([...(message.referenceTaskIds ?? []), taskId])];
  return { ...request, message: { ...message, contextId, referenceTaskIds } };
}
