import { A2AError } from '@switchyard/protocol';
import { actions } from '../admission/scopes.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { openHttpCall } from '../bindings/http-call.ts';
import { type Handler, pathPart, queryText } from '../exchange/exchange.ts';
import { taskNotFound } from '../operations/backend.ts';
import { withKey } from '../operations/idempotency.ts';
import { forCallers } from './for-callers.ts';

/** Below the base of an agent. */
export const deletionPath = '/tasks/:id';

/**
 * `DELETE …/tasks/<id>`: deletes an ended task of the caller with everything that belongs to it. Not part of A2A. 204;
 * TaskNotFound for a task of another caller, except for a retry with the same key; Conflict for a task that has not
 * ended.
 */
export function serveDeletion(context: GatewayContext): Handler {
  return forCallers(context, 'DeleteTask', async (admission, exchange) => {
    const { req, res } = exchange;
    const tenant = pathPart(req, 'tenant') ?? queryText(req, 'tenant');
    const call = openHttpCall(context, exchange, { admission, tenant });
    const { scope, agent } = call;
    admission.requireAgent('DeleteTask', agent);
    const id = pathPart(req, 'id') ?? '';
    const audited = {
      what: actions.DeleteTask.audit,
      operation: 'DeleteTask',
      agent: scope.agent,
      object: id.slice(0, 128),
    };
    const change = { operation: 'DeleteTask', taskId: id, request: {} };
    const { tasks } = context.partsOf(id, scope.principal);
    await withKey(tasks, call, change, async ({ isRetry }) => {
      const verdict = await tasks.delete(scope, id);
      admission.audit({ ...audited, outcome: outcomes[verdict] });
      if (verdict === 'missing' && !isRetry) throw taskNotFound(id);
      if (verdict === 'live') throw taskIsLive(id);
    });
    res.writeHead(204).end();
  });
}

const outcomes = { deleted: 'ok', missing: 'TaskNotFound', live: 'Conflict' } as const;

export function taskIsLive(taskId: string): A2AError {
  const message = 'The task has not ended: cancel it, then delete it';
  return new A2AError('Conflict', message, { metadata: { taskId } });
}
