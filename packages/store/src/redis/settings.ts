/** Everything the store can be told. Times in milliseconds, sizes in bytes. */
export interface StoreSettings {
  /** `redis://…`, `rediss://…`, `redis+sentinel://…` or `redis+cluster://…`: see `parseRedisAddress`. */
  readonly redisUrl: string;
  /** What every key begins with; two deployments on one Redis need two prefixes. No braces. */
  readonly prefix: string;
  /** Number of hash slots that tasks are spread over. Fixed for a deployment's life; 1 unless Redis is a Cluster. */
  readonly shards: number;
  /** How long a task outlives its end. */
  readonly retentionMs: number;
  /** How long a task may wait for its client's input or authorization, before it is canceled. */
  readonly interruptedRetentionMs: number;
  /** How long the event stream of a task outlives its end: late subscribers can resume until then. */
  readonly replayMs: number;
  /** How long a messageId is remembered: a retry within it gets the first answer again. */
  readonly idempotencyMs: number;
  /**
   * Replicas that must have a message before it is acknowledged. 0: none, a fail-over may lose the messages of its last
   * moment. 1 or more costs the gateway a round trip to them for each message, and none is taken while they are away.
   */
  readonly waitReplicas: number;
  /**
   * How long a job stays that of a process that says nothing. It renews this five times in that time; after it others
   * take the job.
   */
  readonly lockMs: number;
  /** After so long without a sign of life, the sweeper looks after a task that has work to do. */
  readonly leaseMs: number;
  /** How often a turn is begun before its task ends FAILED. */
  readonly maxAttempts: number;
  /** Accepted messages that may wait in one task. */
  readonly maxInbox: number;
  /** Events that the stream of a task keeps, roughly (trimmed by whole nodes). */
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
  /** Bytes of history or of an artifact that are kept in the task's hash before they get a string of their own. */
  readonly inlineTextBytes: number;
  /** Artifact texts of this size and more are read with GETRANGE, outside of any script. */
  readonly largeTextBytes: number;
  /** Memory for the answers given last, in a process that reads tasks; 0: none. */
  readonly readCacheBytes: number;
  /** Webhooks of one task. */
  readonly maxWebhooks: number;
  /**
   * After so long without progress, a webhook that has something to be told is given its job again, should the queue
   * have none.
   */
  readonly pushLeaseMs: number;
  /**
   * Webhooks and their credentials are sealed with the first one; all of them open what was sealed. None: kept in
   * clear.
   */
  readonly pushSecrets: readonly string[];
  /** Results of all steps of one turn together. */
  readonly maxStepsBytes: number;
  /** Calls of other agents, of one task, that have not ended. */
  readonly maxCalls: number;
  /** How deep calls may be nested: agents that call agents that call agents. */
  readonly maxCallDepth: number;
  /** What an agent keeps for a context. */
  readonly maxMemoryBytes: number;
  /** How often the position of every open feed is checked against Redis: a lost last message is found by this alone. */
  readonly feedCheckMs: number;
  /**
   * For events that readers of feeds have not taken yet, all of the process together. Beyond it they are read again, a
   * few at a time.
   */
  readonly feedBufferBytes: number;
}

export const defaultStoreSettings: Omit<StoreSettings, 'redisUrl'> = {
  prefix: 'sw',
  shards: 1,
  retentionMs: 7 * 24 * 3_600_000,
  interruptedRetentionMs: 30 * 24 * 3_600_000,
  replayMs: 10 * 60_000,
  idempotencyMs: 24 * 3_600_000,
  waitReplicas: 0,
  // Recovery from a killed worker within 4 s, while an event loop that is blocked for 2.8 s keeps its jobs.
  lockMs: 3_500,
  leaseMs: 15_000,
  maxAttempts: 3,
  maxInbox: 100,
  keptEvents: 10_000,
  maxArtifacts: 200,
  maxTaskBytes: 64 * 1_024 * 1_024,
  maxHistoryBytes: 8 * 1_024 * 1_024,
  maxPageBytes: 8 * 1_024 * 1_024,
  inlineTextBytes: 1_024,
  largeTextBytes: 65_536,
  readCacheBytes: 32 * 1_024 * 1_024,
  maxWebhooks: 20,
  pushLeaseMs: 5_000,
  pushSecrets: [],
  maxStepsBytes: 8 * 1_024 * 1_024,
  maxCalls: 1_000,
  maxCallDepth: 8,
  maxMemoryBytes: 64 * 1_024,
  feedCheckMs: 3_000,
  feedBufferBytes: 64 * 1_024 * 1_024,
};
