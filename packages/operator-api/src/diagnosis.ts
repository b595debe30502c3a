import { z } from 'zod';
import { failureSchema } from './failures.ts';
import { time } from './page.ts';

export const findings = [
  'agent-unknown',
  'no-worker',
  'agent-paused',
  'tenant-over-share',
  'queued',
  'waits-for-place',
  'retry-waits',
  'worker-frozen',
  'worker-dead',
  'not-swept',
  'job-missing',
  'scheduled',
  'waits-for-input',
  'waits-for-auth',
  'waits-for-call',
  'remote-unreachable',
  'suspended',
  'cancel-waits',
  'webhook-fails',
  'running',
  'starting',
  'failed',
  'ended',
] as const;

/** Why a task is in its state, and what an operator can do. */
export const diagnosisSchema = z.object({
  finding: z.enum(findings),
  isStuck: z.boolean(),
  /** One sentence, for people: `No live worker runs "kitchen"; 3 tasks wait.` */
  text: z.string(),
  /** What to do about a failure, before the task runs again: the line of the author to mend */
  advice: z.string().optional(),
  since: time.optional(),
  see: z.array(z.object({ kind: z.enum(['agent', 'worker', 'task', 'tenant']), id: z.string() })),
  actions: z.array(
    z.enum(['resume-agent', 'start-worker', 'answer', 'cancel', 'retry', 'drain-worker', 'give-event', 'wait']),
  ),
  /** Why the task failed. */
  failure: failureSchema.optional(),
  /** Steps and calls that had failed before in the same attempt, for other reasons; the agent went on. The last 3. */
  before: z.array(failureSchema).optional(),
});

export type Diagnosis = z.infer<typeof diagnosisSchema>;
