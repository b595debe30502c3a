import { z } from 'zod';
import type { SendMessageResponse } from '../requests.ts';
import {
  idSchema,
  listOf,
  metadataSchema,
  oneOf,
  shortTextSchema,
  shortTextsSchema,
  timestampSchema,
} from './fields.ts';
import { taskPushNotificationConfigSchema } from './push-notification-config.ts';
import { messageSchema, taskSchema, taskStateSchema } from './task.ts';

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

/** §3.2.1. */
export const sendMessageRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  message: messageSchema,
  configuration: sendMessageConfigurationSchema.exactOptional(),
  metadata: metadataSchema.exactOptional(),
});

/** §3.1.1. */
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

/** §3.1.4. The defaults are those of ProtoJSON, which leaves out empty lists, empty strings and zeros. */
export const listTasksResponseSchema = z.object({
  tasks: listOf(taskSchema).default([]),
  nextPageToken: pageTokenSchema.default(''),
  pageSize: countSchema.default(0),
  totalSize: countSchema.default(0),
});

/** §3.1.5. */
export const cancelTaskRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  id: idSchema,
  metadata: metadataSchema.exactOptional(),
});

/** §3.1.6. */
export const subscribeToTaskRequestSchema = z.object({ tenant: shortTextSchema.exactOptional(), id: idSchema });

/** §3.1.7. */
export const createTaskPushNotificationConfigRequestSchema = taskPushNotificationConfigSchema.extend({
  taskId: idSchema,
});

/** §3.1.8. */
export const getTaskPushNotificationConfigRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  taskId: idSchema,
  id: idSchema,
});

/** §3.1.10. */
export const deleteTaskPushNotificationConfigRequestSchema = getTaskPushNotificationConfigRequestSchema.clone();

/** §3.1.9. A `pageSize` of 0 is unset: unlike that of ListTasks it has no presence in the protobuf definition. */
export const listTaskPushNotificationConfigsRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  taskId: idSchema,
  pageSize: countSchema.exactOptional(),
  pageToken: pageTokenSchema.exactOptional(),
});

/** §3.1.9. */
export const listTaskPushNotificationConfigsResponseSchema = z.object({
  configs: listOf(taskPushNotificationConfigSchema).default([]),
  nextPageToken: pageTokenSchema.default(''),
});

/** §3.1.11. */
export const getExtendedAgentCardRequestSchema = z.object({ tenant: shortTextSchema.exactOptional() });
