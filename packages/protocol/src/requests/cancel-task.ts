import { z } from 'zod';
import { idSchema, metadataSchema, shortTextSchema } from '../objects/fields.ts';

/** §3.1.5. */
export const cancelTaskRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  id: idSchema,
  metadata: metadataSchema.exactOptional(),
});
export type CancelTaskRequest = z.infer<typeof cancelTaskRequestSchema>;
