import { z } from 'zod';
import { idSchema, metadataSchema, type OneOf, oneOf } from './fields.ts';
import { artifactSchema, type Message, messageSchema, type Task, taskSchema, taskStatusSchema } from './task.ts';

/** §4.2.1: the status of a task changed. */
export const taskStatusUpdateEventSchema = z.object({
  taskId: idSchema,
  contextId: idSchema,
  status: taskStatusSchema,
  metadata: metadataSchema.exactOptional(),
});
export type TaskStatusUpdateEvent = z.infer<typeof taskStatusUpdateEventSchema>;

/** §4.2.2: an artifact came to be, or grew (`append`). */
export const taskArtifactUpdateEventSchema = z.object({
  taskId: idSchema,
  contextId: idSchema,
  artifact: artifactSchema,
  append: z.boolean().exactOptional(),
  lastChunk: z.boolean().exactOptional(),
  metadata: metadataSchema.exactOptional(),
});
export type TaskArtifactUpdateEvent = z.infer<typeof taskArtifactUpdateEventSchema>;

/** §3.2.3: one event of a stream, and the body of a push notification (§4.3.3). */
export type StreamResponse = OneOf<{
  task: Task;
  message: Message;
  statusUpdate: TaskStatusUpdateEvent;
  artifactUpdate: TaskArtifactUpdateEvent;
}>;

export const streamResponseSchema: z.ZodType<StreamResponse> = oneOf({
  task: taskSchema,
  message: messageSchema,
  statusUpdate: taskStatusUpdateEventSchema,
  artifactUpdate: taskArtifactUpdateEventSchema,
});
