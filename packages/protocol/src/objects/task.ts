import { z } from 'zod';
import { artifactSchema } from './artifact.ts';
import { idSchema, metadataSchema, timestampSchema } from './fields.ts';
import { messageSchema } from './message.ts';
import { taskStateSchema } from './task-state.ts';

/** §4.1.2: the state of a task, since when, and what the agent says about it. */
export const taskStatusSchema = z.object({
  state: taskStateSchema,
  message: messageSchema.exactOptional(),
  timestamp: timestampSchema.exactOptional(),
});
export type TaskStatus = z.infer<typeof taskStatusSchema>;

/** Most artifacts, and most messages, that a task is read with. */
const listLength = 100_000;

/** §4.1.1: the unit of work. */
export const taskSchema = z.object({
  id: idSchema,
  contextId: idSchema.exactOptional(),
  status: taskStatusSchema,
  artifacts: z.array(artifactSchema).max(listLength).exactOptional(),
  history: z.array(messageSchema).max(listLength).exactOptional(),
  metadata: metadataSchema.exactOptional(),
});
export type Task = z.infer<typeof taskSchema>;
