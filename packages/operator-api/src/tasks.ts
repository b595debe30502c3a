import { priorities } from '@switchyard/protocol';
import { taskStateSchema } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { diagnosisSchema } from './diagnosis.ts';
import { reasonSchema } from './failures.ts';
import { count, time } from './page.ts';
import { timelineSchema } from './timeline.ts';
import { taskBudgetSchema, taskUsageSchema } from './usage.ts';

/** `GET /admin/tasks`. In the URL, `state` is separated by commas. `since` and `until` limit `at` of the rows. */
export const taskQuerySchema = z.strictObject({
  id: z.string().optional(),
  contextId: z.string().optional(),
  agent: z.string().optional(),
  state: z.array(taskStateSchema).optional(),
  /** Only tasks that have work to do which nobody does. */
  stuck: z.boolean().optional(),
  tenant: z.string().optional(),
  subject: z.string().optional(),
  since: time.optional(),
  until: time.optional(),
  /** A part of the kind or the message of the row's `reason`. */
  reason: z.string().optional(),
  /** Words in messages and artifacts of ended tasks, as in docs/console.md. Needs an archive. */
  text: z.string().optional(),
  /** `cost`: the dearest first, of the latest 10,000 that match. Default: the latest first. */
  sort: z.enum(['cost']).optional(),
  pageSize: count.max(500).default(100),
  pageToken: z.string().optional(),
});

const ownership = {
  taskId: z.string(),
  contextId: z.string(),
  agent: z.string(),
  tenant: z.string(),
  subject: z.string(),
  state: taskStateSchema,
};

export const taskRowSchema = z.object({
  ...ownership,
  /** The time by which the list is sorted: of the latest message, interruption or end of the task. */
  at: time,
  /** Time of its status. */
  updatedAt: time,
  attempts: count,
  inbox: count,
  /** The first 120 characters of its first message; '' without `contents=true`. */
  text: z.string(),
  /** The start time of a scheduled task. */
  scheduledFor: time.optional(),
  /** What it has cost so far, with all tasks below it, in millionths of a US dollar; unset: nothing. */
  microUsd: count.optional(),
  /** Requests to models without a known price, which `microUsd` lacks. */
  unpricedCalls: count.optional(),
  /** Why its last attempt failed; unset: it did not, or the task has gone well since. */
  reason: reasonSchema.optional(),
});

/** `isPartial`: the filter needed a scan, or counted matches of `text`, and stopped at a limit, so `totalSize` is not exact. */
export const taskPageSchema = z.object({
  tasks: z.array(taskRowSchema),
  totalSize: count,
  nextPageToken: z.string(),
  isPartial: z.boolean(),
});

/** The stored fields of a task, without contents. */
export const taskRecordSchema = z.object({
  ...ownership,
  isTerminal: z.boolean(),
  seq: count,
  keptEvents: count,
  messagesAccepted: count,
  messagesAnswered: count,
  inbox: count,
  artifacts: count,
  webhooks: count,
  cancelRequested: z.boolean(),
  epoch: count,
  openTurn: count,
  attempts: count,
  job: count,
  jobState: z.string(),
  /** The skill whose queue has the task's jobs; unset: the agent's queue has them. */
  queueOfSkill: z.string().optional(),
  /** With which its messages wait: high or low; unset: normal. */
  priority: z.enum(priorities).optional(),
  /** When its next message is rejected if no worker has begun it; of a task that ended so, when it was too late. */
  beginBy: time.optional(),
  scheduledFor: time.optional(),
  isSchedulePaused: z.boolean().optional(),
  /** Redis has forgotten it: this is what it was when it was copied to the archive. */
  isArchived: z.boolean().optional(),
  /** What its suspended turn waits for. */
  waits: z
    .array(z.object({ event: z.string().optional(), task: z.string().optional(), until: time.optional() }))
    .optional(),
  sweeps: count,
  dueAt: time.optional(),
  expiresAt: time.optional(),
  /** As in a row. */
  reason: reasonSchema.optional(),
});

/** `GET /admin/tasks/:id`; with `contents=true` also the A2A Task, with `timeline=true` also its history. */
export const taskDetailSchema = taskRecordSchema.extend({
  /** Where it is; unset: there is one deployment. */
  deployment: count.optional(),
  diagnosis: diagnosisSchema,
  timeline: timelineSchema.optional(),
  task: z.unknown().optional(),
  deadLetter: z.boolean(),
  /** Names of the steps whose results a rerun can reuse, in order. */
  steps: z.array(z.string()),
  /** What it has used of models so far, with all tasks below it; unset: none. */
  usage: taskUsageSchema.optional(),
  /** What it may use; unset: it has no budget, or has not asked a model yet. */
  budget: taskBudgetSchema.optional(),
});

/** `POST /admin/tasks/:id:answer`: a message to a task that waits for input or authorization. */
export const answerSchema = z.strictObject({ messageId: z.string().min(1), parts: z.array(z.unknown()).min(1) });

/** `POST /admin/tasks/:id:event`: gives a waiting turn an event. `data`: any JSON. `id`: the same event is given once. */
export const eventSchema = z.strictObject({
  name: z.string().min(1),
  data: z.unknown().optional(),
  id: z.string().min(1).max(200).optional(),
});
export const givenEventSchema = z.object({ event: z.string(), state: z.string() });

/**
 * `POST /admin/tasks/:id:rerun`. Default of `parts`: those of the first message. With `fromStep`, the results of the
 * steps before that step are reused.
 */
export const rerunSchema = z.strictObject({
  messageId: z.string().min(1),
  parts: z.array(z.unknown()).optional(),
  fromStep: z.string().optional(),
});
export const startedTaskSchema = z.object({ taskId: z.string() });

export type TaskQuery = z.infer<typeof taskQuerySchema>;
export type TaskRow = z.infer<typeof taskRowSchema>;
export type TaskPage = z.infer<typeof taskPageSchema>;
export type TaskDetail = z.infer<typeof taskDetailSchema>;
export type Answer = z.infer<typeof answerSchema>;
export type Rerun = z.infer<typeof rerunSchema>;
export type StartedTask = z.infer<typeof startedTaskSchema>;
