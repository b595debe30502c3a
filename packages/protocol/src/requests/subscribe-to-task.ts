import { z } from 'zod';
import { idSchema, shortTextSchema } from '../objects/fields.ts';

/** §3.1.6. */
export const subscribeToTaskRequestSchema = z.object({ tenant: shortTextSchema.exactOptional(), id: idSchema });
export type SubscribeToTaskRequest = z.infer<typeof subscribeToTaskRequestSchema>;
