import { z } from 'zod';
import { failureKindSchema } from './failures.ts';
import { count, time } from './page.ts';

/** An agent whose messages nobody works on. */
const agentTroubleSchema = z.object({
  agent: z.string(),
  name: z.string(),
  kind: z.enum(['worker-silent', 'no-worker', 'paused']),
  waiting: count,
  /** Turns that a silent worker has. */
  frozenTurns: count,
  oldestWaitMs: count,
});

const failureReasonSchema = z.object({
  /** As of the latest task. */
  reason: z.string(),
  kind: failureKindSchema.optional(),
  count,
  /** Ids of some of their agents. */
  agents: z.array(z.string()),
  /** The latest task that failed so. */
  taskId: z.string(),
});

const nearLimitSchema = z.object({
  limit: z.enum([
    ...[
      'memory',
      'connections',
      'waiting-messages',
      'open-tasks',
      'kept-tasks',
      'open-tasks-of-tenant',
      'archive-delay',
    ],
    ...['scheduled-tasks', 'streams', 'file-volume'],
  ] as const),
  /** The setting that raises it; `maxmemory` and `maxclients` are those of Redis. */
  setting: z.string(),
  /** Whom or what it limits. */
  of: z.string(),
  used: count,
  max: count,
});

export type NearLimit = z.infer<typeof nearLimitSchema>;

/** `GET /admin/overview`: whether all is well, and if not, where. Its cost does not depend on the number of tasks. */
export const overviewSchema = z.object({
  /** Jobs that wait for a worker. */
  waiting: count,
  /** Jobs that wait for their next attempt. */
  delayed: count,
  active: count,
  /** How long the next job of an agent has waited at most; 0: no job waits. */
  oldestWaitMs: count,
  /** Tasks that have work to do which nobody does. */
  stuck: count,
  /** Tasks that wait for a person. */
  interrupted: count,
  deadLetters: z.object({ turn: count, webhook: count }),
  scheduled: count,
  agents: count,
  workers: z.object({ live: count, silent: count }),
  /** The most urgent first, 20 at most, of `troubledAgents`. */
  troubles: z.array(agentTroubleSchema),
  troubledAgents: count,
  /**
   * Tasks that failed or were rejected in the last hour; the latest `counted` of them by reason. `isPartial`: the archive
   * does not answer, and those that Redis has forgotten are left out.
   */
  failures: z.object({
    total: count,
    counted: count,
    reasons: z.array(failureReasonSchema),
    isPartial: z.literal(true).optional(),
  }),
  /** The tasks that wait longest for a person, 5 at most. */
  longestInterrupted: z.array(z.object({ taskId: z.string(), agent: z.string(), since: time })),
  /** Limits of which four fifths are used, the fullest first. */
  limits: z.array(nearLimitSchema),
  /** How long ended tasks are kept: `keptMs` is shorter than wanted while memory is short. */
  kept: z.object({ wantedMs: count, keptMs: count }),
  /** Of several deployments: the one of this answer, and all that the gateway has. */
  deployment: count.optional(),
  deployments: z.array(z.object({ number: count, isAnswering: z.boolean() })).optional(),
});

export type Overview = z.infer<typeof overviewSchema>;
