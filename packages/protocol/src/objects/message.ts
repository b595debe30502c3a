import { z } from 'zod';
import { idSchema, idsSchema, metadataSchema, shortTextsSchema } from './fields.ts';
import { partSchema } from './part.ts';

/** §4.1.5. ROLE_UNSPECIFIED is not among them: it says that the field was not set. */
export const roleSchema = z.enum(['ROLE_USER', 'ROLE_AGENT']);
export type Role = z.infer<typeof roleSchema>;

/** Most parts of one message. Each may be wrong in several ways, and every one is named. */
const partsLength = 1000;

/** §4.1.4: one unit of communication between client and agent. */
export const messageSchema = z.object({
  messageId: idSchema,
  contextId: idSchema.exactOptional(),
  taskId: idSchema.exactOptional(),
  role: roleSchema,
  parts: z.array(partSchema).min(1).max(partsLength),
  metadata: metadataSchema.exactOptional(),
  extensions: shortTextsSchema.exactOptional(),
  referenceTaskIds: idsSchema.exactOptional(),
});
export type Message = z.infer<typeof messageSchema>;
