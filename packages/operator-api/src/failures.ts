import { failureKinds, type ThrownError } from '@switchyard/protocol';
import { z } from 'zod';
import { count, time } from './page.ts';

export const failureKindSchema = z.enum(failureKinds);

const place = { file: z.string(), line: count, column: count, source: z.string().optional() };

/** A place in code; `source`: the text of its line, where the worker could read it. */
export const codePlaceSchema = z.object(place);

/** A frame of a stack. `of`: whose code it is; show that of the author first. */
export const codeFrameSchema = z.object({
  ...place,
  function: z.string().optional(),
  of: z.enum(['author', 'package', 'switchyard', 'node']),
});

/** An error as it is kept: redacted and bounded. `errors`: those of an AggregateError. */
export const thrownErrorSchema: z.ZodType<ThrownError> = z.object({
  type: z.string(),
  message: z.string(),
  code: z.union([z.string(), z.number()]).optional(),
  /** Status of the HTTP response that it is about. */
  status: z.number().optional(),
  /** In the order of the stack. */
  frames: z.array(codeFrameSchema).optional(),
  get cause() {
    return thrownErrorSchema.optional();
  },
  get errors() {
    return z.array(thrownErrorSchema).optional();
  },
});

/** Why an attempt, a step or a call failed. Never shown to clients. */
export const failureSchema = z.object({
  kind: failureKindSchema,
  /** For people. */
  message: z.string(),
  at: time,
  /** Of its attempt, over all messages of the task. */
  epoch: count,
  /** Number of the attempt at its message. */
  attempt: count.optional(),
  /** What failed. Unset: the attempt. */
  of: z.enum(['attempt', 'step', 'call']).optional(),
  /** Name of the step, or id of the called agent. */
  name: z.string().optional(),
  /** Id of the called task, if a call failed that has one. */
  calledTask: z.string().optional(),
  /** The first line of the author's code in the stacks. */
  place: codePlaceSchema.optional(),
  error: thrownErrorSchema.optional(),
  /** The time to the next attempt that the agent asked for. */
  retryAfterMs: count.optional(),
  worker: z.string().optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
});

/** The kind and message of a failure, for lists. */
export const reasonSchema = z.object({ kind: failureKindSchema, message: z.string() });

export type CodePlace = z.infer<typeof codePlaceSchema>;
export type CodeFrame = z.infer<typeof codeFrameSchema>;
export type Failure = z.infer<typeof failureSchema>;
export type Reason = z.infer<typeof reasonSchema>;
