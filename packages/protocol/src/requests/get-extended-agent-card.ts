import { z } from 'zod';
import { shortTextSchema } from '../objects/fields.ts';

/** §3.1.11. */
export const getExtendedAgentCardRequestSchema = z.object({ tenant: shortTextSchema.exactOptional() });
export type GetExtendedAgentCardRequest = z.infer<typeof getExtendedAgentCardRequestSchema>;
