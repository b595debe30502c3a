import type { TaskState } from '@switchyard/protocol';
import type { ShardKeys } from '../redis/keys.ts';
import { agentOf } from '../redis/principal.ts';
import { integer, text, tuple, tupleAnd } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { stateOf } from '../tasks/state-letters.ts';
import type { OpsPort } from './ops-port.ts';

/** Task id, ms of its last sign of life, owner, state, 1 if a turn is open, attempts, sweeps, job. */
const entryReply = tuple(text, integer, text, text, integer, integer, integer, integer);
const readOverdueScript = defineScript({
  file: 'read-overdue.lua',
  from: import.meta.url,
  keys: ['outbox', 'tasksRoot'],
  args: ['leaseMs', 'from', 'most'],
  reply: tupleAnd([integer], entryReply),
});

/** A task that has work to do, and of which nothing was seen for more than a lease beyond its lease. */
export interface OverdueTask {
  readonly taskId: string;
  readonly agent: string;
  readonly state: TaskState;
  /** Its last sign of life. */
  readonly seenMs: number;
  readonly hasOpenTurn: boolean;
  /** Of the message that is worked on. */
  readonly attempts: number;
  /** How often the sweeper came in vain. */
  readonly sweeps: number;
  /** Number of the job that it waits for. */
  readonly job: number;
}

/** Looked at in one step of Redis, so that nobody else waits for long. */
const PER_STEP = 200;
/** Looked at in one shard at most: those that are due first. */
const PER_SHARD = 20_000;

/** Of a backlog of more than 20,000 tasks in a shard, those that are due last are not looked at. */
export async function overdueTasks(port: OpsPort): Promise<OverdueTask[]> {
  return (await Promise.all(port.shards.all.map((keys) => overdueIn(port, keys)))).flat();
}

async function overdueIn({ redis, settings }: OpsPort, keys: ShardKeys): Promise<OverdueTask[]> {
  const found = new Map<string, OverdueTask>();
  for (let from = 0; from < PER_SHARD; from += PER_STEP) {
    const [total, ...entries] = await readOverdueScript.run(redis, {
      keys: { outbox: keys.outbox, tasksRoot: keys.tasks },
      args: { leaseMs: settings.leaseMs, from, most: PER_STEP },
    });
    for (const entry of entries) found.set(entry[0], overdueTask(entry));
    if (from + PER_STEP >= total) break;
  }
  return [...found.values()];
}

function overdueTask([taskId, seenMs, owner, letter, turn, attempts, sweeps, job]: ReturnType<
  typeof entryReply
>): OverdueTask {
  return {
    taskId,
    seenMs,
    agent: agentOf(owner),
    state: stateOf(letter),
    hasOpenTurn: turn !== 0,
    attempts,
    sweeps,
    job,
  };
}
