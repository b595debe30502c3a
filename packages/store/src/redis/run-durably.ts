import type { RedisConnection } from './connection.ts';
import type { Script, ScriptCall } from './script.ts';

/** Replicas that are well need a millisecond. */
const REPLICATED_WITHIN_MS = 1_000;

export interface DurablePort {
  readonly redis: RedisConnection;
  /** For what waits for replicas: what else is asked of Redis must not wait behind it. Unset: nothing waits. */
  readonly replicated: RedisConnection | undefined;
  readonly settings: { readonly waitReplicas: number };
}

/**
 * Runs a script whose writes must not be lost in a fail-over, if the deployment asks for that.
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
