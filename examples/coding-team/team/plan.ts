import { z } from 'zod';

const assignment = z.object({
  instructions: z.string().describe('What to do, in a few sentences.'),
  successCriteria: z.array(z.string()),
  approach: z.array(z.string()).describe('Steps, in order.'),
});

export const planSchema = z.object({
  summary: z.string().describe('What will be built, in one sentence.'),
  analysis: z.string().describe('What the request means, and what matters about it.'),
  product: assignment,
  design: assignment,
  frontend: assignment,
  backend: assignment,
});

export type Plan = z.infer<typeof planSchema>;

/** The assignment of a member. */
export const assignmentSchema = assignment.extend({ analysis: z.string() });
export type Assignment = z.infer<typeof assignmentSchema>;

export type Member = Exclude<keyof Plan, 'summary' | 'analysis'>;
