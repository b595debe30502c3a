import { z } from 'zod';
import { idSchema, requiredShortTextSchema, shortTextSchema, webhookUrlSchema } from './fields.ts';

/** §4.3.2. */
export const authenticationInfoSchema = z.object({
  scheme: requiredShortTextSchema,
  credentials: shortTextSchema.exactOptional(),
});

/** §4.3.1, and the request of §3.1.7. */
export const taskPushNotificationConfigSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  id: idSchema.exactOptional(),
  taskId: idSchema.exactOptional(),
  url: webhookUrlSchema,
  token: shortTextSchema.exactOptional(),
  authentication: authenticationInfoSchema.exactOptional(),
});
