import { z } from 'zod';
import type { StreamResponse } from '../objects/stream-response.ts';
import { idSchema, metadataSchema, oneOf } from './fields.ts';
import { artifactSchema, messageSchema, taskSchema, taskStatusSchema } from './task.ts';

/** §4.2.1. */
export const taskStatusUpdateEventSchema = z.object({
  taskId: idSchema,
  contextId: idSchema,
  status: taskStatusSchema,
  metadata: metadataSchema.exactOptional(),
});

/** §4.2.2. */
export const taskArtifactUpdateEventSchema = z.object({
  taskId: idSchema,
  contextId: idSchema,
  artifact: artifactSchema,
  append: z.boolean().exactOptional(),
  lastChunk: z.boolean().exactOptional(),
  metadata: metadataSchema.exactOptional(),
});

/** §3.2.3. */
export const streamResponseSchema: z.ZodType<StreamResponse> = oneOf({
  task: taskSchema,
  message: messageSchema,
  statusUpdate: taskStatusUpdateEventSchema,
  artifactUpdate: taskArtifactUpdateEventSchema,
});
