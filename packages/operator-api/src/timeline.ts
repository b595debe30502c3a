import { taskStateSchema } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { count, time } from './page.ts';

const entry = { at: time, epoch: count.optional() };

/** An entry in the history of a task. Without `untilAt`, what began at `at` has not ended. */
export const timelineEntrySchema = z.discriminatedUnion('kind', [
  /** Message number `number` of the task's inbox. */
  z.object({ ...entry, kind: z.literal('accepted'), number: count, from: z.string() }),
  z.object({ ...entry, kind: z.literal('queued'), untilAt: time.optional() }),
  z.object({
    ...entry,
    kind: z.literal('attempt'),
    attempt: count,
    worker: z.string(),
    waitedMs: count,
    isTakenOver: z.boolean(),
    untilAt: time.optional(),
    end: z.enum(['settled', 'released', 'retried', 'gave-up', 'taken-over', 'open']),
    /** For an open attempt: time until its lease ends. */
    leaseMs: z.number().optional(),
  }),
  /** Late writes of a worker that had lost the turn were refused. */
  z.object({ ...entry, kind: z.literal('fenced'), worker: z.string().optional() }),
  z.object({
    ...entry,
    kind: z.literal('step'),
    name: z.string(),
    untilAt: time.optional(),
    isRemembered: z.boolean(),
  }),
  z.object({
    ...entry,
    kind: z.literal('call'),
    taskId: z.string(),
    agent: z.string(),
    isDetached: z.boolean(),
    state: taskStateSchema.optional(),
  }),
  z.object({ ...entry, kind: z.literal('status'), seq: count, state: taskStateSchema }),
  z.object({ ...entry, kind: z.literal('swept'), sweeps: count }),
]);

/** A reader of the task's events at this gateway. `behind`: events that it has not read yet. */
export const subscriberSchema = z.object({
  kind: z.enum(['stream', 'send', 'poll', 'operator']),
  seq: count,
  behind: count,
  since: time,
  bufferedBytes: count,
});

export const deliverySchema = z.object({
  configId: z.string(),
  origin: z.string(),
  state: z.enum(['idle', 'due', 'sending', 'waiting', 'dead']),
  deliveredSeq: count,
  attempts: count,
  nextAt: time.optional(),
  reason: z.string().optional(),
});

export const timelineSchema = z.object({
  entries: z.array(timelineEntrySchema),
  /** Number of attempts before the first entry, of which no details are stored. */
  earlierAttempts: count,
  /** Too many entries: the first steps and calls, or states in the middle, are missing. */
  isPartial: z.boolean(),
  subscribers: z.array(subscriberSchema),
  /** Number of processes subscribed to the task, including this gateway. */
  listeningProcesses: count,
  deliveries: z.array(deliverySchema),
  /** Id of the task that called this one. */
  calledBy: z.string().optional(),
});

export type TimelineEntry = z.infer<typeof timelineEntrySchema>;
export type Subscriber = z.infer<typeof subscriberSchema>;
export type Delivery = z.infer<typeof deliverySchema>;
export type Timeline = z.infer<typeof timelineSchema>;
