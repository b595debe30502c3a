import { queuesOf } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { frozenTurns } from './running-turns.ts';

/** Where tasks are stuck: they have work to do, and nobody does it. */
export interface StuckPlaces {
  /** Ids of the agents that are paused, or that no live worker runs: their open tasks wait. */
  readonly agents: readonly string[];
  /** Ids of the tasks whose turn a silent worker has. */
  readonly frozen: readonly string[];
  /** Ids of the tasks whose turn a live worker has: they are not stuck, also if their agent was paused meanwhile. */
  readonly running: ReadonlySet<string>;
}

/** The cost depends on the number of agents and workers, not on that of tasks. */
export async function stuckPlaces(dependencies: OperatorDependencies): Promise<StuckPlaces> {
  const [agents, workers] = await Promise.all([dependencies.registry.list(), dependencies.workers.list()]);
  const [frozen, paused] = await Promise.all([
    frozenTurns(dependencies, workers),
    Promise.all(agents.map((agent) => dependencies.agentQueues.isPaused(...queuesOf(agent)))),
  ]);
  const alive = workers.filter(({ state }) => state !== 'silent');
  return {
    agents: agents.filter(({ workers: live }, i) => live === 0 || paused[i]).map(({ id }) => id),
    frozen: frozen.map(({ taskId }) => taskId),
    running: new Set(alive.flatMap(({ turns }) => turns.map(({ taskId }) => taskId))),
  };
}
