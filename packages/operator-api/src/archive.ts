import { z } from 'zod';
import { count, time } from './page.ts';

/** `GET /admin/archive`: ended tasks in PostgreSQL. */
export const archiveSchema = z.object({
  /** Unset: there is no archive. */
  archive: z
    .object({
      tasks: count,
      bytes: count,
      oldestEndedAt: time.optional(),
      latestEndedAt: time.optional(),
      /** How long ago the next task to copy may have ended, in milliseconds; unset: no task has ended. */
      delayMs: count.optional(),
      /** Tasks that Redis still has, and that could not be copied; the latest first. */
      leftOut: z.array(z.string()),
    })
    .optional(),
});

export const archiveProblems = ['missing', 'different', 'unreadable', 'deleted', 'damaged'] as const;

const problemSchema = z.object({
  taskId: z.string(),
  problem: z.enum(archiveProblems),
  /** Unset: nothing was repaired. */
  isRepaired: z.boolean().optional(),
});

/** An event of `GET /admin/archive:verify` and `POST /admin/archive:repair`, with the progress so far. */
export const archiveCheckSchema = z.object({
  total: count,
  done: count,
  /** Since the event before. */
  problems: z.array(problemSchema),
  /** `pageToken` of a request that goes on from here. */
  nextPageToken: z.string(),
  isDone: z.boolean(),
});

/** An event of `POST /admin/archive:recount`. The stream may end before the counting: the next one goes on with it. */
export const archiveRecountSchema = z.object({ isDone: z.boolean() });

export type ArchiveRecount = z.infer<typeof archiveRecountSchema>;
export type ArchiveStatus = z.infer<typeof archiveSchema>;
export type ArchiveProblem = z.infer<typeof problemSchema>;
export type ArchiveCheckProgress = z.infer<typeof archiveCheckSchema>;
