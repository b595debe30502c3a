import type { TaskState } from '@switchyard/protocol';
import type { ShardKeys } from '../redis/keys.ts';
import { agentOf } from '../redis/scope.ts';
import { stateOf } from '../tasks/state-letters.ts';
import type { OpsPort } from './ops-port.ts';

/** A task that waits for its client. */
export interface InterruptedTask {
  readonly taskId: string;
  readonly agent: string;
  readonly state: TaskState;
  /** ISO time. */
  readonly interruptedSince: string;
  /** When it is canceled unless the client answers. ISO time. */
  readonly endsAt: string;
}

export interface Interruption {
  readonly taskId: string;
  readonly sinceMs: number;
}

/** Read at most of one shard, those that wait longest. */
const PER_SHARD = 20_000;

export async function interruptions({ redis, shards }: OpsPort): Promise<Interruption[]> {
  const read = async (keys: ShardKeys): Promise<Interruption[]> => {
    const flat = await redis.zrange(keys.interrupted, '0', String(PER_SHARD - 1), 'WITHSCORES');
    return flat.flatMap((taskId, i) => (i % 2 === 0 ? { taskId, sinceMs: Number(flat[i + 1]) } : []));
  };
  return (await Promise.all(shards.all.map(read))).flat();
}

/** @returns undefined: it no longer waits */
export async function interruptedTask(
  { redis, shards, settings }: OpsPort,
  { taskId, sinceMs }: Interruption,
): Promise<InterruptedTask | undefined> {
  const [owner, letter] = await redis.hmget(shards.of(taskId).task(taskId), 'owner', 'state');
  if (!owner || !letter) return undefined;
  const interruptedSince = new Date(sinceMs).toISOString();
  const endsAt = new Date(sinceMs + settings.interruptedRetentionMs).toISOString();
  return { taskId, agent: agentOf(owner), state: stateOf(letter), interruptedSince, endsAt };
}
