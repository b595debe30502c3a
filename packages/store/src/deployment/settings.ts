import type { RedisAccess } from '@switchyard/redis';

/** The settings of a store. Times in milliseconds, sizes in bytes. */
export interface StoreSettings extends RedisAccess {
  /** Prefix of every key; two deployments on one Redis need two. No braces. */
  readonly prefix: string;
  /** Number of hash slots that tasks are spread over. Fixed for a deployment's life; 1 unless Redis is a Cluster. */
  readonly shards: number;
  /** 0 to 255, in ids that the deployment makes: gateways of several deployments read in them where a task is. */
  readonly deployment: number;
  /** How long a task outlives its end. */
  readonly retentionMs: number;
  /**
   * The share of Redis' memory, in percent, from which the oldest ended tasks are dropped before their retention is
   * over; a principal with `maxKeptTasks` loses its oldest one for a new one. 0: then new messages are refused instead.
   */
  readonly makeRoomAtPercent: number;
  /** How long an ended task stays even then. */
  readonly retentionMinMs: number;
  /** How long a task may wait for its client's input or authorization, before it is canceled. */
  readonly interruptedRetentionMs: number;
  /** How long the event stream of a task outlives its end: late subscribers can resume until then. */
  readonly replayMs: number;
  /** How long a messageId is remembered: a retry gets the first answer again. */
  readonly idempotencyMs: number;
  /**
   * Replicas that must have a change by a client before it is acknowledged: a message, a cancel, a deletion, a webhook.
   * 0: a fail-over may lose the latest ones. Otherwise each costs a round trip to them, and none is acknowledged while
   * they are unreachable.
   */
  readonly waitReplicas: number;
  /** Lease of a process. It is renewed five times in this time; otherwise other processes take the jobs of this one. */
  readonly leaseMs: number;
  /** A task with work to do and no heartbeat for this long is swept: its job is added again. */
  readonly sweepAfterMs: number;
  /** Attempts at a message before its task fails. */
  readonly maxAttempts: number;
  /**
   * Accepted messages that may wait in one task, that of the running turn included. Those that the turn was given while it
   * runs do not count, up to seven times as many.
   */
  readonly maxInbox: number;
  /** Tasks of a principal at an agent that have not ended. For this and the next five settings, 0 means no limit. */
  readonly maxOpenTasks: number;
  /** Tasks of a principal at an agent that are kept, ended ones too. */
  readonly maxKeptTasks: number;
  /** Tasks of a tenant that have not ended. */
  readonly maxOpenTasksOfTenant: number;
  /** Scheduled tasks of a principal at an agent. */
  readonly maxScheduled: number;
  /** Bytes of the messages that a tenant has sent within `retentionMs`, and of the results of its tasks' steps. */
  readonly maxBytesOfTenant: number;
  /** Messages that may wait for an agent in one shard. */
  readonly maxWaiting: number;
  /**
   * How long a message that creates a task may wait for its turn: messages are refused if more wait than the agent's
   * workers begin in this time. Infinity: no limit.
   */
  readonly maxQueueWaitMs: number;
  /** Events in the stream of a task, roughly (trimmed by whole nodes). */
  readonly keptEvents: number;
  /** Artifacts of one task: each costs a read about 5 µs of Redis. */
  readonly maxArtifacts: number;
  /**
   * Bytes of history and artifacts of one task. The outcome of a turn may exceed it by 1 MiB, so that the task can end.
   */
  readonly maxTaskBytes: number;
  /** Bytes of the history of one task: a turn loads all of it. */
  readonly maxHistoryBytes: number;
  /** Bytes of one page of a list of tasks, roughly: it ends with the task that exceeds them. */
  readonly maxPageBytes: number;
  /** Bytes of history or of an artifact up to which they are in the task's hash instead of a string. */
  readonly inlineTextBytes: number;
  /** Artifact texts of this size and more are read with GETRANGE, outside of any script. */
  readonly largeTextBytes: number;
  /** Memory of the cache of recently read tasks; 0: no cache. */
  readonly readCacheBytes: number;
  /**
   * Memory for large tasks that the process is sending to clients; each version counts once. Beyond it, reads reject
   * with `AnswersTooLarge`. Only for a process that serves clients: a worker reads what it needs.
   */
  readonly maxAnswerBytes: number;
  /** Webhooks of one task. */
  readonly maxWebhooks: number;
  /** A webhook with undelivered events and no progress for this long gets its job again. */
  readonly reclaimAfterMs: number;
  /** Webhooks are encrypted with the first secret, and decrypted with any of them. None: they are stored in clear. */
  readonly pushSecrets: readonly string[];
  /** Size of the results of all steps of one turn together. */
  readonly maxStepsBytes: number;
  /** Calls of one task to other agents that have not ended. */
  readonly maxCalls: number;
  /** How deep calls may be nested, when called agents call other agents. */
  readonly maxCallDepth: number;
  /** Size of the value that an agent keeps for a context. */
  readonly maxMemoryBytes: number;
  /** How often every open feed is checked against Redis: only this finds that the last event was missed. */
  readonly feedCheckMs: number;
  /** Memory of the process for events that readers have not taken yet. Beyond it they are read from the stream. */
  readonly feedBufferBytes: number;
  /** How many events of the audit trail are kept, approximately, and for how long. */
  readonly maxAuditEvents: number;
  readonly auditRetentionMs: number;
  /** What a task has used of models is in its metadata, for its client: docs/extensions/usage.md. */
  readonly publishUsage: boolean;
  /** What a tenant, and a principal, may spend on models in a day and in a month (UTC), in micro-USD; 0: no limit. */
  readonly budgetOfTenantPerDay: number;
  readonly budgetOfTenantPerMonth: number;
  readonly budgetOfPrincipalPerDay: number;
  readonly budgetOfPrincipalPerMonth: number;
  /** How long the totals of a day are kept of what was used of models. */
  readonly usageRetentionMs: number;
}

export const defaultStoreSettings: Omit<StoreSettings, keyof RedisAccess> = {
  prefix: 'sw',
  shards: 1,
  deployment: 0,
  retentionMs: 7 * 24 * 3_600_000,
  makeRoomAtPercent: 75,
  retentionMinMs: 5 * 60_000,
  interruptedRetentionMs: 30 * 24 * 3_600_000,
  replayMs: 10 * 60_000,
  idempotencyMs: 24 * 3_600_000,
  waitReplicas: 0,
  // Jobs of a killed worker run again within 4 s, and an event loop blocked for 2.8 s keeps its jobs.
  leaseMs: 3_500,
  sweepAfterMs: 15_000,
  maxAttempts: 3,
  maxInbox: 100,
  maxOpenTasks: 100_000,
  maxKeptTasks: 1_000_000,
  maxOpenTasksOfTenant: 500_000,
  maxScheduled: 100,
  maxBytesOfTenant: 0,
  maxWaiting: 100_000,
  maxQueueWaitMs: Number.POSITIVE_INFINITY,
  keptEvents: 10_000,
  maxArtifacts: 200,
  maxTaskBytes: 64 * 1_024 * 1_024,
  maxHistoryBytes: 8 * 1_024 * 1_024,
  maxPageBytes: 8 * 1_024 * 1_024,
  inlineTextBytes: 1_024,
  largeTextBytes: 65_536,
  readCacheBytes: 32 * 1_024 * 1_024,
  maxAnswerBytes: Number.POSITIVE_INFINITY,
  maxWebhooks: 20,
  reclaimAfterMs: 5_000,
  pushSecrets: [],
  maxStepsBytes: 8 * 1_024 * 1_024,
  maxCalls: 1_000,
  maxCallDepth: 8,
  maxMemoryBytes: 64 * 1_024,
  feedCheckMs: 3_000,
  feedBufferBytes: 64 * 1_024 * 1_024,
  maxAuditEvents: 1_000_000,
  auditRetentionMs: 30 * 24 * 3_600_000,
  publishUsage: true,
  budgetOfTenantPerDay: 0,
  budgetOfTenantPerMonth: 0,
  budgetOfPrincipalPerDay: 0,
  budgetOfPrincipalPerMonth: 0,
  usageRetentionMs: 400 * 24 * 3_600_000,
};
