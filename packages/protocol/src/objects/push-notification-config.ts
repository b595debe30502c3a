import { z } from 'zod';
import { idSchema, requiredShortTextSchema, shortTextSchema, webhookUrlSchema } from './fields.ts';

/** §4.3.2: how to authenticate to a webhook. */
export const authenticationInfoSchema = z.object({
  scheme: requiredShortTextSchema,
  credentials: shortTextSchema.exactOptional(),
});
export type AuthenticationInfo = z.infer<typeof authenticationInfoSchema>;

/** §4.3.1: where to send a task's events. Also the request that creates one (§3.1.7). */
export const taskPushNotificationConfigSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  id: idSchema.exactOptional(),
  taskId: idSchema.exactOptional(),
  url: webhookUrlSchema,
  token: shortTextSchema.exactOptional(),
  authentication: authenticationInfoSchema.exactOptional(),
});
export type TaskPushNotificationConfig = z.infer<typeof taskPushNotificationConfigSchema>;
