import type { TaskPushNotificationConfig } from '@switchyard/protocol';
import type { Webhook } from '@switchyard/store';

/** A2A 4.3.1, as its owner gets it. */
export function toConfig(
  { traceParent: _, version: __, ...webhook }: Webhook,
  taskId: string,
): TaskPushNotificationConfig {
  return { ...webhook, taskId };
}
