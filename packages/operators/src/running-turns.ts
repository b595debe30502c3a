import { agentOf } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { ProcessId, WorkerReading } from './worker-report.ts';

/** A turn that a worker runs now. Times are ISO. */
export interface RunningTurn {
  readonly taskId: string;
  readonly agent: string;
  readonly worker: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly since: string;
  /** Time of the turn's last event or heartbeat. */
  readonly lastHeartbeat: string;
}

/**
 * The turns that workers report and that are still open in their tasks. A new turn is listed after its worker's next
 * report.
 */
export async function runningTurns(dependencies: OperatorDependencies): Promise<RunningTurn[]> {
  return turnsOf(dependencies, await dependencies.workers.list());
}

/** Turns of one worker that are checked: bounds the cost. */
const MAX_TURNS = 200;

/** The open turns that the worker in this process has reported, 200 at most. */
export async function turnsOfProcess(
  dependencies: OperatorDependencies,
  { host, pid }: ProcessId,
): Promise<RunningTurn[]> {
  const workers = await dependencies.workers.list();
  const own = workers.find(({ process }) => process?.host === host && process.pid === pid);
  return own ? turnsOf(dependencies, [{ ...own, turns: own.turns.slice(0, MAX_TURNS) }]) : [];
}

/** The open turns of workers that have been silent for a while, 200 at most of each. */
export async function frozenTurns(
  dependencies: OperatorDependencies,
  workers: readonly WorkerReading[],
): Promise<RunningTurn[]> {
  const silent = workers.filter(({ state }) => state === 'silent');
  return turnsOf(
    dependencies,
    silent.map((worker) => ({ ...worker, turns: worker.turns.slice(0, MAX_TURNS) })),
  );
}

async function turnsOf(dependencies: OperatorDependencies, workers: readonly WorkerReading[]): Promise<RunningTurn[]> {
  const reported = workers.flatMap(({ id, turns }) => turns.map((turn) => ({ worker: id, ...turn })));
  const turns = await Promise.all(reported.map((turn) => confirmed(dependencies, turn)));
  return turns.filter((turn) => turn !== undefined);
}

interface TurnOfReport {
  readonly worker: string;
  readonly taskId: string;
  readonly epoch: number;
  readonly since: string;
}

async function confirmed(
  { redis, shards, settings }: OperatorDependencies,
  turn: TurnOfReport,
): Promise<RunningTurn | undefined> {
  const { taskId, epoch } = turn;
  const keys = shards.of(taskId);
  const [[owner, open, attempts], due] = await Promise.all([
    redis.hmget(keys.task(taskId), 'owner', 'turn', 'attempts'),
    redis.zscore(keys.outbox, taskId),
  ]);
  if (!owner || Number.parseInt(open ?? '', 10) !== epoch || due === null) return undefined;
  const lastHeartbeat = new Date(Number(due) - settings.sweepAfterMs).toISOString();
  return { ...turn, agent: agentOf(owner), attempt: Number(attempts), lastHeartbeat };
}
