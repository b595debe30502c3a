import { taskStateSchema } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { count, time } from './page.ts';

/** Jobs that wait, by priority; `first`: before all others, because a turn waits for them, or because they run alone. */
const levelsSchema = z.object({ first: count, high: count, normal: count, low: count });

/** A skill with a queue of its own. `concurrency` 0: the agent no longer gives this skill a queue. */
const skillQueueSchema = z.object({
  id: z.string(),
  concurrency: count,
  waiting: count,
  active: count,
  delayed: count,
  /** Of those that wait. */
  levels: levelsSchema,
});

/** An agent with its card and the totals of its queues. */
export const agentReadingSchema = z.object({
  id: z.string(),
  workers: count,
  /** Turns that a silent worker has. */
  frozenTurns: count,
  paused: z.boolean(),
  waiting: count,
  active: count,
  delayed: count,
  /** Of those that wait. */
  levels: levelsSchema,
  tenants: count,
  longestTenant: count,
  oldestWaitMs: count,
  beganPerSecond: z.number(),
  /** Its workers have not answered since; unset: one answers, or there is none. */
  silentSince: time.optional(),
  /** It runs elsewhere, and this worker cannot use it: it does not answer, or its card cannot be used. */
  remoteProblem: z
    .object({ kind: z.enum(['unreachable', 'bad-card']), text: z.string(), worker: z.string() })
    .optional(),
  name: z.string(),
  version: z.string(),
  card: z.unknown(),
  /** JSON Schema of the data that its tasks begin with; unset: any message begins one. */
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  /** Places for its turns that are taken, and how many there are; unset: it has no limits. */
  places: z.object({ taken: count, limit: count.optional() }).optional(),
  skills: z.array(skillQueueSchema).optional(),
});

/** `2 high, 9 low`: how many jobs wait with each priority; undefined: all have the normal one. */
export function levelsText({ first, high, normal, low }: z.infer<typeof levelsSchema>): string | undefined {
  if (first + high + low === 0) return undefined;
  const counts = Object.entries({ first, high, normal, low }).filter(([, waiting]) => waiting > 0);
  return counts.map(([level, waiting]) => `${waiting} ${level}`).join(', ');
}

/** A tenant's waiting jobs at an agent: `GET /admin/agents/:id/tenants`. */
export const tenantShareSchema = z.object({ tenant: z.string(), waiting: count });

/** A worker's turns in the last five to ten seconds. Null: no value was measured. */
const workerFiguresSchema = z.object({
  ended: count,
  failed: count,
  queueWaitP95Ms: count.nullable(),
  firstEventP95Ms: count.nullable(),
});

export const workerReadingSchema = z.object({
  id: z.string(),
  state: z.enum(['working', 'draining', 'drained', 'silent']),
  agents: z.array(z.string()),
  since: time,
  lastHeartbeat: time,
  version: z.string().optional(),
  drain: z.unknown().optional(),
  /** An agent's code blocks the worker: which task's, and in which line, as far as that is known. */
  blocked: z.object({ taskId: z.string().optional(), at: z.string().optional() }).optional(),
  figures: workerFiguresSchema.optional(),
  turns: z.array(z.object({ taskId: z.string(), epoch: count, since: time })),
});

/** A task that waits for input or authorization. */
export const waitingTaskSchema = z.object({
  taskId: z.string(),
  contextId: z.string(),
  agent: z.string(),
  tenant: z.string(),
  subject: z.string(),
  state: taskStateSchema,
  interruptedSince: time,
  endsAt: time,
  /** The agent's question; '' without `contents=true`. */
  question: z.string(),
});

export const seriesNames = [
  'acceptedPerSecond',
  'endedPerSecond',
  'queueWaitP95Ms',
  'firstEventP95Ms',
  'openStreams',
  'waiting',
  'oldestWaitMs',
  'redisBytes',
] as const;

/** Each series has one number per point in time; null: unknown. */
export const seriesSchema = z.object({
  everyMs: count,
  fromMs: count,
  points: z.record(z.enum(seriesNames), z.array(z.number().nullable())),
});

/** `POST /admin/log-level` sets the level of all processes for a time; `forMs` 0: back to their configured levels. */
export const logLevelSchema = z.strictObject({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error']),
  forMs: count.max(86_400_000).default(600_000),
});

/** `GET /admin/log-level`. Without a level, each process has its configured one. */
export const logLevelReadingSchema = logLevelSchema.extend({ level: logLevelSchema.shape.level.optional() });

/** The operator who sends the request, and their permissions. */
export const meSchema = z.object({
  name: z.string(),
  may: z.enum(['all', 'metrics', 'nothing']),
  /** Whether the operator can send messages to agents from the console. */
  canTry: z.boolean(),
  version: z.string(),
  /** Of several deployments: the one of this answer, and all that the gateway has. */
  deployment: count.optional(),
  deployments: z.array(count).optional(),
  /**
   * How the gateway's DEPLOYMENTS_FILE differs from what it has read at its start: `deployment 2 is new`. It needs a
   * restart.
   */
  deploymentsFileChanges: z.string().optional(),
});

export type AgentReading = z.infer<typeof agentReadingSchema>;
export type WorkerReading = z.infer<typeof workerReadingSchema>;
export type WaitingTask = z.infer<typeof waitingTaskSchema>;
export type Series = z.infer<typeof seriesSchema>;
export type LogLevel = z.infer<typeof logLevelSchema>;
export type LogLevelReading = z.infer<typeof logLevelReadingSchema>;
export type Me = z.infer<typeof meSchema>;
