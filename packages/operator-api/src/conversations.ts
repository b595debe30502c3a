import { z } from 'zod';
import { count, time } from './page.ts';

export const conversationRowSchema = z.object({
  conversationId: z.string(),
  contextId: z.string(),
  fromAgent: z.string(),
  toAgent: z.string(),
  tenant: z.string(),
  subject: z.string(),
  /** The task whose turn runs the conversation. */
  taskId: z.string(),
  maxTurns: count,
  state: z.enum(['open', 'complete']),
  lastSeq: count,
  at: time,
});

const eventFields = {
  seq: count,
  timestamp: time,
  conversationId: z.string(),
  fromAgent: z.string(),
  toAgent: z.string(),
};

/** An event of a conversation. Turn 0 is the opening; `fromAgent` is the speaker. */
const conversationEventSchema = z.discriminatedUnion('phase', [
  z.object({
    ...eventFields,
    phase: z.literal('turn'),
    turn: count,
    maxTurns: count,
    text: z.string(),
    taskId: z.string(),
  }),
  z.object({
    ...eventFields,
    phase: z.literal('error'),
    turn: count,
    error: z.string(),
    taskId: z.string().optional(),
  }),
  z.object({ ...eventFields, phase: z.literal('complete') }),
]);

/** `GET /admin/conversations/:id`. `hasMore`: there are events after these. */
export const conversationSchema = conversationRowSchema.omit({ at: true }).extend({
  hasMore: z.boolean().optional(),
  events: z.array(conversationEventSchema),
});

export type ConversationRow = z.infer<typeof conversationRowSchema>;
export type Conversation = z.infer<typeof conversationSchema>;
