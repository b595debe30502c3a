import { isInterrupted, type Message } from '@switchyard/protocol';
import type { ShardKeys } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { type TaskIdentity, taskIdentity } from './task-identity.ts';

/** A task that waits for its client. */
export interface InterruptedTask extends TaskIdentity {
  /** ISO time. */
  readonly interruptedSince: string;
  /** When it is canceled unless the client answers. ISO time. */
  readonly endsAt: string;
  /** Beginning of the texts of its status message; '' unless contents are requested. */
  readonly question: string;
}

export interface Interruption {
  readonly taskId: string;
  readonly sinceMs: number;
}

/** Tasks of one shard that are read at most: those that wait longest. */
const PER_SHARD = 20_000;

export async function interruptions(
  { redis, shards }: OperatorDependencies,
  perShard = PER_SHARD,
): Promise<Interruption[]> {
  const read = async (keys: ShardKeys): Promise<Interruption[]> => {
    const flat = await redis.zrange(keys.interrupted, '0', String(perShard - 1), 'WITHSCORES');
    return flat.flatMap((taskId, i) => (i % 2 === 0 ? { taskId, sinceMs: Number(flat[i + 1]) } : []));
  };
  return (await Promise.all(shards.all.map(read))).flat();
}

/** Those that wait longest, at most `count`. */
export async function oldestInterruptions(dependencies: OperatorDependencies, count: number): Promise<Interruption[]> {
  const some = await interruptions(dependencies, count);
  return some.sort((a, b) => a.sinceMs - b.sinceMs).slice(0, count);
}

const LONGEST_QUESTION = 4_000;

/** @returns undefined: it no longer waits */
export async function interruptedTask(
  { redis, shards, settings }: OperatorDependencies,
  { taskId, sinceMs }: Interruption,
  hasQuestion: boolean,
): Promise<InterruptedTask | undefined> {
  // In one command: the status of a task that has ended is no message.
  const fields = ['owner', 'context', 'state', ...(hasQuestion ? ['status'] : [])];
  const [owner, context, state, message] = await redis.hmget(shards.of(taskId).task(taskId), ...fields);
  const identity = taskIdentity(taskId, [owner, context, state]);
  if (!identity || !isInterrupted(identity.state)) return undefined;
  return {
    ...identity,
    interruptedSince: new Date(sinceMs).toISOString(),
    endsAt: new Date(sinceMs + settings.interruptedRetentionMs).toISOString(),
    question: message ? questionIn(JSON.parse(message)) : '',
  };
}

function questionIn({ parts }: Message): string {
  const texts = parts.flatMap(({ text }) => text ?? []);
  return texts.join('\n\n').slice(0, LONGEST_QUESTION);
}
