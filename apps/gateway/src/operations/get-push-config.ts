import { A2AError, type GetTaskPushNotificationConfigRequest } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import { requirePush } from './offered-capabilities.ts';
import type { Reply } from './operation.ts';
import { toConfig } from './push-config.ts';

/** A2A 3.1.8: a config that does not exist is answered like a task that does not. */
export async function getPushConfig(
  backend: Backend,
  call: Call,
  { taskId, id }: GetTaskPushNotificationConfigRequest,
): Promise<Reply> {
  const webhook = await requirePush(backend, call).webhooks.get(call.scope, taskId, id);
  if (webhook) return { json: JSON.stringify(toConfig(webhook, taskId)) };
  throw new A2AError('TaskNotFound', 'The task, or this config of it, does not exist or is not accessible', {
    metadata: { taskId },
  });
}
