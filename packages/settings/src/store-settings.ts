import type { ValuesOf } from './read-settings.ts';

type Shared = Pick<
  ValuesOf<'gateway'> & ValuesOf<'worker'>,
  | 'REDIS_URL'
  | 'KEY_PREFIX'
  | 'SHARDS'
  | 'RETENTION_MS'
  | 'REPLAY_MS'
  | 'SWEEP_AFTER_MS'
  | 'INTERRUPTED_RETENTION_MS'
  | 'MAX_TASK_BYTES'
  | 'MAX_HISTORY_BYTES'
  | 'WAIT_REPLICAS'
  | 'IDEMPOTENCY_MS'
  | 'PUSH_SECRET'
>;

/** What gateway and worker tell the store alike: both write tasks. */
export function storeSettings(values: Shared) {
  return {
    redisUrl: values.REDIS_URL,
    prefix: values.KEY_PREFIX,
    shards: values.SHARDS,
    retentionMs: values.RETENTION_MS,
    replayMs: values.REPLAY_MS,
    sweepAfterMs: values.SWEEP_AFTER_MS,
    interruptedRetentionMs: values.INTERRUPTED_RETENTION_MS,
    maxTaskBytes: values.MAX_TASK_BYTES,
    maxHistoryBytes: values.MAX_HISTORY_BYTES,
    waitReplicas: values.WAIT_REPLICAS,
    idempotencyMs: values.IDEMPOTENCY_MS,
    pushSecrets: values.PUSH_SECRET,
  };
}
