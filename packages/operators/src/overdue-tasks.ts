import type { TaskState } from '@switchyard/protocol';
import { defineScript, integer, text, tuple, tupleAnd } from '@switchyard/redis';
import { agentOf, type ShardKeys, stateOf } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** Task id, ms of its last heartbeat, owner, state, 1 if a turn is open, attempts, sweeps, job. */
const entryReply = tuple(text, integer, text, text, integer, integer, integer, integer);
const readOverdueScript = defineScript({
  file: 'read-overdue.lua',
  from: import.meta.url,
  keys: ['outbox', 'tasksRoot'],
  args: ['sweepAfterMs', 'from', 'limit'],
  reply: tupleAnd([integer], entryReply),
});

/** A task with work to do, and without a heartbeat for more than two leases. */
export interface OverdueTask {
  readonly taskId: string;
  readonly agent: string;
  readonly state: TaskState;
  /** Its last heartbeat. */
  readonly seenMs: number;
  readonly hasOpenTurn: boolean;
  /** Attempts at the current message. */
  readonly attempts: number;
  /** How often the sweeper added its job again without effect. */
  readonly sweeps: number;
  /** Number of its job. */
  readonly job: number;
}

/** Tasks that one script reads: bounds the time that Redis spends on it. */
const PER_STEP = 200;
/** Tasks of one shard that are read at most: those due first. */
const PER_SHARD = 20_000;

/** All overdue tasks. If a shard has more than 20,000 tasks with work to do, those due last are left out. */
export async function overdueTasks(dependencies: OperatorDependencies): Promise<OverdueTask[]> {
  return (await Promise.all(dependencies.shards.all.map((keys) => overdueIn(dependencies, keys)))).flat();
}

async function overdueIn({ redis, settings }: OperatorDependencies, keys: ShardKeys): Promise<OverdueTask[]> {
  const found = new Map<string, OverdueTask>();
  for (let from = 0; from < PER_SHARD; from += PER_STEP) {
    const [total, ...entries] = await readOverdueScript.run(redis, {
      keys: { outbox: keys.outbox, tasksRoot: keys.tasks },
      args: { sweepAfterMs: settings.sweepAfterMs, from, limit: PER_STEP },
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
