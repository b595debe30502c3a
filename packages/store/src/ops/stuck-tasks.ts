import type { TaskState } from '@switchyard/protocol';
import { agentOf } from '../principal.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { Script } from '../redis/script.ts';
import { stateOf } from '../tasks/state-letters.ts';
import type { AgentReading } from './agents.ts';
import type { OpsPort } from './ops-port.ts';
import { type StuckReason, stuckReason } from './stuck-reason.ts';

export const readOverdueScript = new Script('read-overdue.lua', import.meta.url);

/** A task that has work to do and shows no sign of life. */
export interface StuckTask {
  readonly taskId: string;
  readonly agent: string;
  readonly state: TaskState;
  readonly reason: StuckReason;
  /** ISO time. */
  readonly silentSince: string;
  /** Of the message that is worked on. */
  readonly attempts: number;
  /** How often the sweeper came in vain. */
  readonly sweeps: number;
}

/** As the outbox has it; why it is stuck is yet to be found out. */
export interface OverdueTask extends Omit<StuckTask, 'reason' | 'silentSince'> {
  readonly seenMs: number;
  readonly hasOpenTurn: boolean;
  /** Number of the job that it waits for. */
  readonly job: number;
}

type Entry = [
  taskId: string,
  seenMs: number,
  owner: string,
  state: string,
  turn: number,
  attempts: number,
  sweeps: number,
  job: number,
];
type Reply = [total: number, ...entries: Entry[]];

/** Looked at in one step of Redis, so that nobody else waits for long. */
const PER_STEP = 200;
/** Looked at in one shard at most: those that are due first. */
const PER_SHARD = 20_000;

/** Of a backlog of more than 20,000 tasks in a shard, those that are due last are not looked at. */
export async function overdueTasks(port: OpsPort): Promise<OverdueTask[]> {
  return (await Promise.all(port.shards.all.map((keys) => overdueIn(port, keys)))).flat();
}

/** @param agents all that there are */
export async function whyStuck(
  port: OpsPort,
  task: OverdueTask,
  agents: ReadonlyMap<string, AgentReading>,
): Promise<StuckTask> {
  const { taskId, agent, state, attempts, sweeps } = task;
  const job = await port.queue.stateOf(agent, taskId, task.job);
  const reason = stuckReason(task, job, agents.get(agent));
  return { taskId, agent, state, reason, silentSince: new Date(task.seenMs).toISOString(), attempts, sweeps };
}

async function overdueIn({ redis, settings }: OpsPort, keys: ShardKeys): Promise<OverdueTask[]> {
  const found = new Map<string, OverdueTask>();
  for (let from = 0; from < PER_SHARD; from += PER_STEP) {
    const args = [keys.tasks, settings.leaseMs, from, PER_STEP];
    const [total, ...entries] = (await readOverdueScript.run(redis, [keys.outbox], args)) as Reply;
    for (const entry of entries) found.set(entry[0], overdueTask(entry));
    if (from + PER_STEP >= total) break;
  }
  return [...found.values()];
}

function overdueTask([taskId, seenMs, owner, letter, turn, attempts, sweeps, job]: Entry): OverdueTask {
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
