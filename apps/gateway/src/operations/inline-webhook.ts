import { type A2AError, invalidParams, type SendMessageRequest } from '@switchyard/protocol';
import type { WebhookDraft } from '@switchyard/store';
import { toWebhook } from '../push/to-webhook.ts';
import { traceParentIn } from '../push/trace-parent.ts';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';
import { requirePush } from './require-push.ts';

const path = 'configuration.taskPushNotificationConfig.';

/** The config that comes with a message (A2A 3.2.2): stored together with it, so that it misses nothing. @throws {A2AError} */
export function inlineWebhook(
  backend: Backend,
  call: Call,
  { message, metadata, configuration }: SendMessageRequest,
): WebhookDraft | undefined {
  const config = configuration?.taskPushNotificationConfig;
  if (!config) return undefined;
  const { policy, noteStoring } = requirePush(backend, call);
  if (config.taskId !== undefined && config.taskId !== message.taskId) throw ofAnotherTask();
  const traceParent =
    call.traceParent ?? traceParentIn(message.metadata?.traceparent) ?? traceParentIn(metadata?.traceparent);
  noteStoring();
  return toWebhook(config, { policy, call: { version: call.version, traceParent }, path });
}

function ofAnotherTask(): A2AError {
  const violations = [{ field: `${path}taskId`, description: 'must be left out, or be that of the message' }];
  return invalidParams(violations);
}
