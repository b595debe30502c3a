import { z } from 'zod';
import { idSchema, listOf, shortTextSchema } from '../objects/fields.ts';
import { taskPushNotificationConfigSchema } from '../objects/push-notification-config.ts';
import { countSchema, pageTokenSchema } from './paging.ts';

/** §3.1.7: the configuration itself; here it has to say whose it is. */
export const createTaskPushNotificationConfigRequestSchema = taskPushNotificationConfigSchema.extend({
  taskId: idSchema,
});
export type CreateTaskPushNotificationConfigRequest = z.infer<typeof createTaskPushNotificationConfigRequestSchema>;

/** §3.1.8. */
export const getTaskPushNotificationConfigRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  taskId: idSchema,
  id: idSchema,
});
export type GetTaskPushNotificationConfigRequest = z.infer<typeof getTaskPushNotificationConfigRequestSchema>;

/** §3.1.10. */
export const deleteTaskPushNotificationConfigRequestSchema = getTaskPushNotificationConfigRequestSchema.clone();
export type DeleteTaskPushNotificationConfigRequest = z.infer<typeof deleteTaskPushNotificationConfigRequestSchema>;

/** §3.1.9. A `pageSize` of 0 is unset: unlike that of ListTasks it has no presence in the protobuf definition. */
export const listTaskPushNotificationConfigsRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  taskId: idSchema,
  pageSize: countSchema.exactOptional(),
  pageToken: pageTokenSchema.exactOptional(),
});
export type ListTaskPushNotificationConfigsRequest = z.infer<typeof listTaskPushNotificationConfigsRequestSchema>;

/** §3.1.9. */
export const listTaskPushNotificationConfigsResponseSchema = z.object({
  configs: listOf(taskPushNotificationConfigSchema).default([]),
  nextPageToken: pageTokenSchema.default(''),
});
export type ListTaskPushNotificationConfigsResponse = z.infer<typeof listTaskPushNotificationConfigsResponseSchema>;
