import { taskStateSchema } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { count, time } from './page.ts';

/** A schedule that goes on. With `cron` it is a series of tasks, otherwise one task. */
export const scheduleReadingSchema = z.object({
  /** The id of its first task. */
  scheduleId: z.string(),
  agent: z.string(),
  tenant: z.string(),
  subject: z.string(),
  contextId: z.string(),
  /** `delayed`: a quota leaves no room for the next task, which is created later. */
  state: z.enum(['active', 'paused', 'delayed']),
  cron: z.string().optional(),
  timeZone: z.string().optional(),
  until: time.optional(),
  /** Number of tasks that are left. */
  times: count.optional(),
  /** The task that waits. */
  nextTaskId: z.string().optional(),
  /** When it begins; unset while the schedule is paused. */
  nextAt: time.optional(),
  /** The latest task that has begun. */
  lastTaskId: z.string().optional(),
  lastAt: time.optional(),
  /** Unset: that task is no longer kept. */
  lastState: taskStateSchema.optional(),
});

export type ScheduleReading = z.infer<typeof scheduleReadingSchema>;
