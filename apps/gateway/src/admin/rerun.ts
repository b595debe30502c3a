import { rerunSchema, type StartedTask } from '@switchyard/operator-api';
import { A2AError, invalidParams } from '@switchyard/protocol';
import { partSchema } from '@switchyard/protocol/schemas';
import type { RerunResult } from '@switchyard/store';
import { z } from 'zod';
import { taskNotFound } from '../operations/backend.ts';
import { operatorName } from './operators.ts';
import { type AdminRoute, adminOrder } from './route.ts';

const orderSchema = rerunSchema.extend({ parts: z.array(partSchema).min(1).optional() });

/** A task that has ended runs again, as a new one. */
export const rerunRoutes: readonly AdminRoute[] = [
  adminOrder(
    '/admin/tasks/:id\\:rerun',
    orderSchema,
    async ({ ops }, { id, parameters, operator }): Promise<StartedTask> => {
      const { messageId, parts, fromStep } = parameters;
      const order = { messageId, parts, fromStep, operator: operatorName(operator) };
      return startedTask(id, await ops.tasks.rerun(id, order));
    },
  ),
];

/** @throws {A2AError} TaskNotFound, UnsupportedOperation, InvalidParams, Conflict */
function startedTask(id: string, result: RerunResult): StartedTask {
  const metadata = { taskId: id };
  switch (result.verdict) {
    case 'started':
      return { taskId: result.taskId };
    case 'missing':
      throw taskNotFound(id.slice(0, 64));
    case 'live':
      throw new A2AError('UnsupportedOperation', 'The task has not ended: cancel it first', { metadata });
    case 'unknown-step':
      throw invalidParams([{ field: 'fromStep', description: 'is not a step of this task whose result is kept' }]);
    case 'refused':
      throw new A2AError('Conflict', 'The message cannot be accepted again', { metadata: { why: result.why } });
  }
}
