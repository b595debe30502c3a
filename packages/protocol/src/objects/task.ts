import { z } from 'zod';
import {
  base64Schema,
  idSchema,
  idsSchema,
  jsonValueSchema,
  type Metadata,
  metadataSchema,
  type OneOf,
  oneOf,
  shortTextSchema,
  shortTextsSchema,
  timestampSchema,
} from './fields.ts';
import { taskStateSchema } from './states.ts';

/** §4.1.6: a piece of content. Exactly one of `text`, `raw` (base64), `url` and `data` (any JSON value, null too). */
export type Part = OneOf<{ text: string; raw: string; url: string; data: unknown }> & PartDetails;

interface PartDetails {
  metadata?: Metadata;
  filename?: string;
  /** Of every kind of part, such as `text/plain` or `application/json`. */
  mediaType?: string;
}

export const partSchema: z.ZodType<Part> = oneOf(
  { text: z.string(), raw: base64Schema, url: z.string(), data: jsonValueSchema },
  {
    metadata: metadataSchema.exactOptional(),
    filename: shortTextSchema.exactOptional(),
    mediaType: shortTextSchema.exactOptional(),
  },
);

/** §4.1.5. ROLE_UNSPECIFIED is not among them: it says that the field was not set. */
export const roleSchema = z.enum(['ROLE_USER', 'ROLE_AGENT']);
export type Role = z.infer<typeof roleSchema>;

/** Most parts of one message. Each may be wrong in several ways, and every one is named. */
const messagePartsLength = 1000;

/** §4.1.4: one unit of communication between client and agent. */
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
export type Message = z.infer<typeof messageSchema>;

/** Most parts of one artifact: those of a long stream whose chunks are kept apart. */
const artifactPartsLength = 100_000;

/**
 * §4.1.7: an output of a task. `parts` may be empty: an append that only closes an artifact (`lastChunk`) adds nothing.
 */
export const artifactSchema = z.object({
  artifactId: idSchema,
  name: shortTextSchema.exactOptional(),
  description: z.string().exactOptional(),
  parts: z.array(partSchema).max(artifactPartsLength).default([]),
  metadata: metadataSchema.exactOptional(),
  extensions: shortTextsSchema.exactOptional(),
});
export type Artifact = z.infer<typeof artifactSchema>;

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
