import type { DeleteTaskPushNotificationConfigRequest } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import { requirePush } from './offered-capabilities.ts';
import type { Reply } from './operation.ts';
import { taskNotFound } from './read-task.ts';

/** A2A 3.1.10: idempotent, so a config that does not exist is deleted already. */
export async function deletePushConfig(
  backend: Backend,
  call: Call,
  { taskId, id }: DeleteTaskPushNotificationConfigRequest,
): Promise<Reply> {
  const verdict = await requirePush(backend, call).webhooks.delete(call.scope, taskId, id);
  if (verdict === 'missing') throw taskNotFound(taskId);
  return { json: '{}' };
}
