import { z } from 'zod';
import { taskStates } from '../objects/states.ts';
import { type Part, roles } from '../objects/task.ts';
import {
  base64Schema,
  idSchema,
  idsSchema,
  jsonValueSchema,
  metadataSchema,
  oneOf,
  shortTextSchema,
  shortTextsSchema,
  timestampSchema,
} from './fields.ts';

/** §4.1.6. */
export const partSchema: z.ZodType<Part> = oneOf(
  { text: z.string(), raw: base64Schema, url: z.string(), data: jsonValueSchema },
  {
    metadata: metadataSchema.exactOptional(),
    filename: shortTextSchema.exactOptional(),
    mediaType: shortTextSchema.exactOptional(),
  },
);

/** §4.1.5. */
export const roleSchema = z.enum(roles);

/** Most parts of one message. Each may be wrong in several ways, and every one is named. */
const messagePartsLength = 1000;

/** §4.1.4. */
export const messageSchema = z.object({
  messageId: idSchema,
  contextId: idSchema.exactOptional(),
  taskId: idSchema.exactOptional(),
  role: roleSchema,
  parts: z.array(partSchema).min(1).max(messagePartsLength),
  metadata: metadataSchema.exactOptional(),
  extensions: shortTextsSchema.exactOptional(),
  referenceTaskIds: idsSchema.exactOptional(),
});

/** Most parts of one artifact: those of a long stream whose chunks are kept apart. */
const artifactPartsLength = 100_000;

/** §4.1.7. */
export const artifactSchema = z.object({
  artifactId: idSchema,
  name: shortTextSchema.exactOptional(),
  description: z.string().exactOptional(),
  parts: z.array(partSchema).max(artifactPartsLength).default([]),
  metadata: metadataSchema.exactOptional(),
  extensions: shortTextsSchema.exactOptional(),
});

/** §4.1.3. */
export const taskStateSchema = z.enum(taskStates);

/** §4.1.2. */
export const taskStatusSchema = z.object({
  state: taskStateSchema,
  message: messageSchema.exactOptional(),
  timestamp: timestampSchema.exactOptional(),
});

/** Most artifacts, and most messages, that a task is read with. */
const listLength = 100_000;

/** §4.1.1. */
export const taskSchema = z.object({
  id: idSchema,
  contextId: idSchema.exactOptional(),
  status: taskStatusSchema,
  artifacts: z.array(artifactSchema).max(listLength).exactOptional(),
  history: z.array(messageSchema).max(listLength).exactOptional(),
  metadata: metadataSchema.exactOptional(),
});
