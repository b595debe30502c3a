import { z } from 'zod';
import { failureSchema, reasonSchema } from './failures.ts';
import { count, time } from './page.ts';

export const deadLetterSchema = z.object({
  kind: z.enum(['turn', 'webhook']),
  id: z.string(),
  taskId: z.string(),
  attempts: count,
  /** Of a turn: what its client was told. */
  reason: z.string(),
  /** Of a turn: why its last attempt failed; in full only of a single dead letter. */
  why: reasonSchema.optional(),
  failure: failureSchema.optional(),
  diedAt: time,
  agent: z.string().optional(),
  tenant: z.string().optional(),
  subject: z.string().optional(),
  contextId: z.string().optional(),
  messageId: z.string().optional(),
  requestId: z.string().optional(),
  message: z.unknown().optional(),
  origin: z.string().optional(),
});

/** The filter of `GET /admin/dead-letters` and `POST /admin/dead-letters:retry`. */
export const deadLetterFilterSchema = z.strictObject({
  kind: z.enum(['turn', 'webhook'], 'must be turn or webhook').optional(),
  agent: z.string().optional(),
  tenant: z.string().optional(),
  reason: z.string().optional(),
  since: time.optional(),
});

/** An event of `POST /admin/dead-letters:retry`, with the progress so far. */
export const bulkProgressSchema = z.object({
  total: count,
  done: count,
  retried: count,
  refused: count,
  isDone: z.boolean(),
});

export type DeadLetter = z.infer<typeof deadLetterSchema>;
export type DeadLetterFilter = z.infer<typeof deadLetterFilterSchema>;
export type BulkProgress = z.infer<typeof bulkProgressSchema>;
