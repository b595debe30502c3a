import { z } from 'zod';
import { idSchema, shortTextSchema } from '../objects/fields.ts';
import { historyLengthSchema } from './paging.ts';

/** §3.1.3. */
export const getTaskRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  id: idSchema,
  historyLength: historyLengthSchema.exactOptional(),
});
export type GetTaskRequest = z.infer<typeof getTaskRequestSchema>;
