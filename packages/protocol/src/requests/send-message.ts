import { z } from 'zod';
import { metadataSchema, shortTextSchema, shortTextsSchema } from '../objects/fields.ts';
import { type Message, messageSchema } from '../objects/message.ts';
import { type OneOf, oneOf } from '../objects/one-of.ts';
import { taskPushNotificationConfigSchema } from '../objects/push-notification-config.ts';
import { type Task, taskSchema } from '../objects/task.ts';
import { historyLengthSchema } from './paging.ts';

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
