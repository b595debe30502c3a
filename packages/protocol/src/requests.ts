import { z } from 'zod';
import {
  idSchema,
  listOf,
  metadataSchema,
  type OneOf,
  oneOf,
  shortTextSchema,
  shortTextsSchema,
  timestampSchema,
} from './objects/fields.ts';
import { taskPushNotificationConfigSchema } from './objects/push-notification-config.ts';
import { taskStateSchema } from './objects/states.ts';
import { type Message, messageSchema, type Task, taskSchema } from './objects/task.ts';

/** A protobuf int32. */
const int32Schema = z
  .number()
  .int()
  .max(2 ** 31 - 1);

/** §3.2.4: at most so many of the latest messages; 0: none; unset: all. */
const historyLengthSchema = int32Schema.min(0);

/** §3.1.4: tasks on a page. */
const pageSizeSchema = int32Schema.min(1).max(100);

/** What a response says of sizes. */
const countSchema = int32Schema.min(0);

/** Opaque to clients. */
const pageTokenSchema = z.string().max(4096);

/** §3.2.2. */
export const sendMessageConfigurationSchema = z.object({
  acceptedOutputModes: shortTextsSchema.exactOptional(),
  taskPushNotificationConfig: taskPushNotificationConfigSchema.exactOptional(),
  historyLength: historyLengthSchema.exactOptional(),
  returnImmediately: z.boolean().exactOptional(),
});
export type SendMessageConfiguration = z.infer<typeof sendMessageConfigurationSchema>;

/** §3.2.1: of SendMessage and SendStreamingMessage. */
export const sendMessageRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  message: messageSchema,
  configuration: sendMessageConfigurationSchema.exactOptional(),
  metadata: metadataSchema.exactOptional(),
});
export type SendMessageRequest = z.infer<typeof sendMessageRequestSchema>;

/** §3.1.1: the task that the message made or continued, or the agent's answer itself. */
export type SendMessageResponse = OneOf<{ task: Task; message: Message }>;

export const sendMessageResponseSchema: z.ZodType<SendMessageResponse> = oneOf({
  task: taskSchema,
  message: messageSchema,
});

/** §3.1.3. */
export const getTaskRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  id: idSchema,
  historyLength: historyLengthSchema.exactOptional(),
});
export type GetTaskRequest = z.infer<typeof getTaskRequestSchema>;

/** §3.1.4. */
export const listTasksRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  contextId: idSchema.exactOptional(),
  status: taskStateSchema.exactOptional(),
  pageSize: pageSizeSchema.exactOptional(),
  pageToken: pageTokenSchema.exactOptional(),
  historyLength: historyLengthSchema.exactOptional(),
  statusTimestampAfter: timestampSchema.exactOptional(),
  includeArtifacts: z.boolean().exactOptional(),
});
export type ListTasksRequest = z.infer<typeof listTasksRequestSchema>;

/** §3.1.4. The defaults are those of ProtoJSON, which leaves out empty lists, empty strings and zeros. */
export const listTasksResponseSchema = z.object({
  tasks: listOf(taskSchema).default([]),
  nextPageToken: pageTokenSchema.default(''),
  pageSize: countSchema.default(0),
  totalSize: countSchema.default(0),
});
export type ListTasksResponse = z.infer<typeof listTasksResponseSchema>;

/** §3.1.5. */
export const cancelTaskRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  id: idSchema,
  metadata: metadataSchema.exactOptional(),
});
export type CancelTaskRequest = z.infer<typeof cancelTaskRequestSchema>;

/** §3.1.6. */
export const subscribeToTaskRequestSchema = z.object({ tenant: shortTextSchema.exactOptional(), id: idSchema });
export type SubscribeToTaskRequest = z.infer<typeof subscribeToTaskRequestSchema>;

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

/** §3.1.11. */
export const getExtendedAgentCardRequestSchema = z.object({ tenant: shortTextSchema.exactOptional() });
export type GetExtendedAgentCardRequest = z.infer<typeof getExtendedAgentCardRequestSchema>;
