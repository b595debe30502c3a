import type { RedisConnection } from '@switchyard/redis';
import type { ShardKeys } from '../../src/deployment/keys.ts';
import { Shards } from '../../src/deployment/shards.ts';
import type { StoreSettings } from '../../src/index.ts';
import { AgentQueue } from '../../src/queue/agent-queue.ts';
import { Lease } from '../../src/queue/lease.ts';
import { RunningJob } from '../../src/queue/running-job.ts';
import { checkShard } from '../../src/queue/shard-checks.ts';

/** Long enough that no lease runs out in a test that does not end one. */
export const LONG_LEASE_MS = 60_000;

/** The moment of a confirmation that holds no longer. */
export const longAgo = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: 0 };

/** A queue, for a process. */
export function queueOf(
  { settings }: { readonly settings: Pick<StoreSettings, 'prefix' | 'shards'> },
  redis: RedisConnection,
  { queue = 'echo', processId = 'process', leaseMs = LONG_LEASE_MS } = {},
): AgentQueue {
  const keys = new Shards(settings.prefix, settings.shards).of('');
  return new AgentQueue(new Lease({ redis, leaseMs, processId, onError: () => undefined }, keys), queue);
}

/** A run of a job that a process with this name may have begun. */
export function runOf(queue: AgentQueue, id: string, token: string): RunningJob {
  return new RunningJob(queue, { id, token, started: 1, isAwaited: false, waitedMs: 0, requestedAt: longAgo });
}

/** Recovers the jobs of a shard whose processes are gone, and tidies its queues. */
export async function recoverNow(redis: RedisConnection, keys: ShardKeys, leaseMs = LONG_LEASE_MS): Promise<void> {
  const args = { everyMs: 0, leaseMs, maxInterruptedMs: 60_000, names: [] };
  while ((await checkShard(redis, keys, args))[0] === 0);
}

/** The key with the runs of a process. */
export function holderKey({ running }: ShardKeys, token: string): string {
  return `${running}:${token.split(':')[0]}`;
}

/** As if the process of this run had died: another one with the same run, whose lease has run out. */
export async function killRun(redis: RedisConnection, keys: ShardKeys, token: string): Promise<void> {
  const jobKey = (await redis.hget(holderKey(keys, token), token)) ?? '';
  await redis
    .multi()
    .hdel(holderKey(keys, token), token)
    .hset(`${keys.running}:gone`, token, jobKey)
    .zadd(keys.running, 1, 'gone')
    .exec();
}

/** Whether the run with this token has its job. */
export async function isRunning(redis: RedisConnection, keys: ShardKeys, token: string): Promise<boolean> {
  return (await redis.hexists(holderKey(keys, token), token)) === 1;
}
