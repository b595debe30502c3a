import {
  A2AError,
  type CreateTaskPushNotificationConfigRequest,
  type DeleteTaskPushNotificationConfigRequest,
  type GetTaskPushNotificationConfigRequest,
  invalidParams,
  type ListTaskPushNotificationConfigsRequest,
  type TaskPushNotificationConfig,
} from '@switchyard/protocol';
import type { WebhookPage } from '@switchyard/push';
import { InvalidPageToken, type Webhook } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { type Backend, existingTask, requirePush } from './backend.ts';
import { withKey } from './idempotency.ts';
import type { UnaryResult } from './operation.ts';
import { tooManyConfigs, toWebhook } from './webhook-draft.ts';

/**
 * A2A 3.1.7. The webhook gets each later event of the task. A config with a known id is replaced, and so is one that an
 * earlier attempt of the same request created.
 */
export function createPushConfig(
  backend: Backend,
  call: Call,
  request: CreateTaskPushNotificationConfigRequest,
): Promise<UnaryResult> {
  const { taskId } = request;
  const change = { operation: 'CreateTaskPushNotificationConfig', taskId, request };
  return withKey(backend.tasks, call, change, ({ id }) =>
    create(backend, call, request.id || id === undefined ? request : { ...request, id }),
  );
}

async function create(
  backend: Backend,
  call: Call,
  request: CreateTaskPushNotificationConfigRequest,
): Promise<UnaryResult> {
  const push = requirePush(backend, call);
  const { webhooks, consent } = push;
  const { taskId } = request;
  const draft = toWebhook(request, { push, call, path: '' });
  if (consent) {
    await existingTask(backend, call, taskId, { historyLength: 0 });
    await consent.require(draft.url, 'url', call);
  }
  push.warnIfClear();
  const made = await webhooks.create(call.scope, taskId, draft);
  if (made === 'missing') {
    await existingTask(backend, call, taskId, { historyLength: 0, includeArtifacts: false });
    throw new A2AError('UnsupportedOperation', 'The task ended long ago: it has no more events', {
      metadata: { taskId },
    });
  }
  if (made === 'too-many') throw tooManyConfigs(taskId);
  return { json: JSON.stringify(toConfig(made, taskId)) };
}

/** A2A 3.1.8: an unknown config gets the same error as an unknown task. */
export async function getPushConfig(
  backend: Backend,
  call: Call,
  { taskId, id }: GetTaskPushNotificationConfigRequest,
): Promise<UnaryResult> {
  const webhook = await requirePush(backend, call).webhooks.get(call.scope, taskId, id);
  if (webhook) return { json: JSON.stringify(toConfig(webhook, taskId)) };
  throw new A2AError('TaskNotFound', 'The task, or this config of it, does not exist or is not accessible', {
    metadata: { taskId },
  });
}

/** More than a task can have. */
const largestPage = 100;

/** A2A 3.1.9: the configs of the task in the order of their creation, paged. */
export async function listPushConfigs(
  backend: Backend,
  call: Call,
  request: ListTaskPushNotificationConfigsRequest,
): Promise<UnaryResult> {
  const { taskId } = request;
  const page = await readConfigPage(backend, call, request);
  if (!page) {
    // Redis has forgotten the task, and its configs with it.
    await existingTask(backend, call, taskId, { historyLength: 0, includeArtifacts: false });
    return { json: JSON.stringify({ configs: [], nextPageToken: '' }) };
  }
  const configs = page.webhooks.map((webhook) => toConfig(webhook, taskId));
  return { json: JSON.stringify({ configs, nextPageToken: page.nextPageToken }) };
}

async function readConfigPage(
  backend: Backend,
  call: Call,
  { taskId, pageSize, pageToken }: ListTaskPushNotificationConfigsRequest,
): Promise<WebhookPage | undefined> {
  try {
    const query = { pageSize: Math.min(pageSize || largestPage, largestPage), pageToken };
    return await requirePush(backend, call).webhooks.list(call.scope, taskId, query);
  } catch (error) {
    if (!(error instanceof InvalidPageToken)) throw error;
    const violations = [{ field: 'pageToken', description: 'is not a page token of ListTaskPushNotificationConfigs' }];
    throw invalidParams(violations, error);
  }
}

/** A2A 3.1.10: idempotent, so an unknown config counts as deleted. */
export function deletePushConfig(
  backend: Backend,
  call: Call,
  { taskId, id }: DeleteTaskPushNotificationConfigRequest,
): Promise<UnaryResult> {
  const change = { operation: 'DeleteTaskPushNotificationConfig', taskId, request: { id } };
  return withKey(backend.tasks, call, change, async () => {
    const verdict = await requirePush(backend, call).webhooks.delete(call.scope, taskId, id);
    if (verdict === 'missing') await existingTask(backend, call, taskId, { historyLength: 0, includeArtifacts: false });
    return { json: '{}' };
  });
}

/** The config in answers (A2A 4.3.1): secrets are write-only. */
function toConfig(
  { traceParent: _, traceState: __, version: ___, token: ____, authentication, ...webhook }: Webhook,
  taskId: string,
): TaskPushNotificationConfig {
  return { ...webhook, ...(authentication && { authentication: { scheme: authentication.scheme } }), taskId };
}
