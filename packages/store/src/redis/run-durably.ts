import type { RedisConnection } from './connection.ts';
import type { Script, ScriptCall } from './script.ts';

/** Healthy replicas need a millisecond. */
const REPLICATED_WITHIN_MS = 1_000;

export interface DurablePort {
  readonly redis: RedisConnection;
  /** For writes that wait for replicas; other commands must not wait behind them. Unset: none wait. */
  readonly replicated: RedisConnection | undefined;
  readonly settings: { readonly waitReplicas: number };
}

/**
 * Runs a script, and waits for replicas if the deployment demands it.
 * @throws {NotReplicated}
 */
export function runDurably<Key extends string, Argument extends string, Entry extends string, Reply>(
  { redis, replicated, settings }: DurablePort,
  script: Script<Key, Argument, Entry, Reply>,
  call: ScriptCall<Key, Argument, Entry>,
): Promise<Reply> {
  if (!replicated) return script.run(redis, call);
  const replication = { replicas: settings.waitReplicas, timeoutMs: REPLICATED_WITHIN_MS };
  return script.runReplicated(replicated, call, replication);
}
