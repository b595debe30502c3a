import type { CreateTaskPushNotificationConfigRequest } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import { requirePush } from './offered-capabilities.ts';
import type { Reply } from './operation.ts';
import { toConfig, tooManyConfigs, toWebhook } from './push-config.ts';
import { taskNotFound } from './read-task.ts';

/**
 * A2A 3.1.7. From here on each event of the task is told to the webhook; a config with a known id replaces that one.
 */
export async function createPushConfig(
  backend: Backend,
  call: Call,
  request: CreateTaskPushNotificationConfigRequest,
): Promise<Reply> {
  const { webhooks, policy, noteStoring } = requirePush(backend, call);
  const { taskId } = request;
  const draft = toWebhook(request, { policy, call, path: '' });
  noteStoring();
  const made = await webhooks.create(call.scope, taskId, draft);
  if (made === 'missing') throw taskNotFound(taskId);
  if (made === 'too-many') throw tooManyConfigs(taskId);
  return { json: JSON.stringify(toConfig(made, taskId)) };
}
