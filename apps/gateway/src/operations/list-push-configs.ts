import { invalidParams, type ListTaskPushNotificationConfigsRequest } from '@switchyard/protocol';
import { InvalidPageToken, type WebhookPage } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import { requirePush } from './offered-capabilities.ts';
import type { Reply } from './operation.ts';
import { toConfig } from './push-config.ts';
import { taskNotFound } from './read-task.ts';

/** More than a task can have. */
const largestPage = 100;

/** A2A 3.1.9: all configs of the task, in the order in which they were made, page by page if the caller wants. */
export async function listPushConfigs(
  backend: Backend,
  call: Call,
  request: ListTaskPushNotificationConfigsRequest,
): Promise<Reply> {
  const { taskId } = request;
  const page = await readPage(backend, call, request);
  if (!page) throw taskNotFound(taskId);
  const configs = page.webhooks.map((webhook) => toConfig(webhook, taskId));
  return { json: JSON.stringify({ configs, nextPageToken: page.nextPageToken }) };
}

async function readPage(
  backend: Backend,
  call: Call,
  { taskId, pageSize, pageToken }: ListTaskPushNotificationConfigsRequest,
): Promise<WebhookPage | undefined> {
  try {
    const query = { pageSize: Math.min(pageSize || largestPage, largestPage), pageToken };
    return await requirePush(backend, call).webhooks.list(call.scope, taskId, query);
  } catch (error) {
    if (!(error instanceof InvalidPageToken)) throw error;
    const violations = [
      { field: 'pageToken', description: 'is not one that ListTaskPushNotificationConfigs answered' },
    ];
    throw invalidParams(violations, error);
  }
}
