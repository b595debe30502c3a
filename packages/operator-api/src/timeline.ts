import { priorities } from '@switchyard/protocol';
import { taskStateSchema } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { failureSchema } from './failures.ts';
import { count, time } from './page.ts';

/** The beginning of a JSON text, and the length of the whole. */
export const previewSchema = z.object({ text: z.string(), bytes: count });

const entry = { at: time, epoch: count.optional() };

/** An entry in the history of a task. Without `untilAt`, what began at `at` has not ended. */
export const timelineEntrySchema = z.discriminatedUnion('kind', [
  /** Message number `number` of the task's inbox. */
  z.object({ ...entry, kind: z.literal('accepted'), number: count, from: z.string() }),
  /** `beginBy`: when the message is rejected if no worker has begun it, or was. */
  z.object({
    ...entry,
    kind: z.literal('queued'),
    untilAt: time.optional(),
    beginBy: time.optional(),
    priority: z.enum(priorities).optional(),
  }),
  z.object({
    ...entry,
    kind: z.literal('attempt'),
    attempt: count,
    worker: z.string(),
    waitedMs: count,
    isTakenOver: z.boolean(),
    untilAt: time.optional(),
    /** `failed`: the task has ended with a failure. */
    end: z.enum(['settled', 'failed', 'given-back', 'retried', 'gave-up', 'suspended', 'taken-over', 'open']),
    /** For an open attempt: time until its lease ends. */
    leaseMs: z.number().optional(),
    /** Why it failed, or was interrupted. */
    failure: failureSchema.optional(),
  }),
  /** Late writes of a worker that had lost the turn were refused. */
  z.object({ ...entry, kind: z.literal('fenced'), worker: z.string().optional() }),
  z.object({
    ...entry,
    kind: z.literal('step'),
    name: z.string(),
    untilAt: time.optional(),
    /** An earlier attempt ran it; this one uses its result. */
    isRemembered: z.boolean(),
    /** Why it threw; the agent may have gone on. */
    failure: failureSchema.optional(),
    /** Its stored result, with `contents=true`. */
    result: previewSchema.optional(),
  }),
  z.object({
    ...entry,
    kind: z.literal('call'),
    /** Unset: the call was refused. */
    taskId: z.string().optional(),
    agent: z.string(),
    /** Unset: not known of a call that failed. */
    isDetached: z.boolean().optional(),
    state: taskStateSchema.optional(),
    /** Why the caller got no reply; the agent may have gone on. */
    failure: failureSchema.optional(),
  }),
  /** A request to a model. */
  z.object({
    ...entry,
    kind: z.literal('model'),
    model: z.string(),
    untilAt: time,
    /** Cost in millionths of a US dollar. */
    microUsd: count.optional(),
    inputTokens: count.optional(),
    outputTokens: count.optional(),
    finishReason: z.string().optional(),
    /** Why it failed. */
    error: z.string().optional(),
  }),
  /** The turn waited: for a time, for an event of this name, or to try the step of this name again. */
  z.object({
    ...entry,
    kind: z.literal('wait'),
    what: z.enum(['time', 'event', 'step']),
    name: z.string(),
    untilAt: time.optional(),
  }),
  /** An event of this name was given to the task. */
  z.object({ ...entry, kind: z.literal('event'), name: z.string() }),
  /** A message was rejected, because no worker had begun it by that time. */
  z.object({ ...entry, kind: z.literal('late'), beginBy: time }),
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

/** A delivery that failed. */
export const deliveryFailureSchema = z.object({
  at: time,
  /** Status of the response; unset: there was none. */
  status: z.number().optional(),
  /** For people: `the receiver answered 503`, `connect ECONNREFUSED`. */
  reason: z.string(),
  /** The beginning of the response's body. */
  response: z.string().optional(),
});

export const deliverySchema = z.object({
  configId: z.string(),
  origin: z.string(),
  state: z.enum(['idle', 'due', 'sending', 'waiting', 'dead']),
  deliveredSeq: count,
  attempts: count,
  nextAt: time.optional(),
  reason: z.string().optional(),
  /** The last response that was not 2xx, or why there was none. */
  lastFailure: deliveryFailureSchema.optional(),
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
