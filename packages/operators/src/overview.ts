import type { AgentReading, Agents } from './agents.ts';
import type { DeadLetters } from './dead-letters.ts';
import { interruptedTask, oldestInterruptions } from './interrupted-tasks.ts';
import { type KeptTasks, keptTasks, type NearLimit, nearLimits } from './limits.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { type Failures, recentFailures } from './recent-failures.ts';

/** Whether all is well, and if not, where. */
export interface Overview {
  /** Jobs that wait for a worker. */
  readonly waiting: number;
  /** Jobs that wait for another attempt. */
  readonly delayed: number;
  /** Turns that run. */
  readonly active: number;
  /** How long the next job of an agent has waited at most; 0: no job waits. */
  readonly oldestWaitMs: number;
  /** Tasks that have work to do which nobody does. */
  readonly stuck: number;
  /** Tasks that wait for a person. */
  readonly interrupted: number;
  readonly deadLetters: { readonly turn: number; readonly webhook: number };
  readonly scheduled: number;
  readonly agents: number;
  readonly workers: { readonly live: number; readonly silent: number };
  /** Agents whose messages nobody works on: the most urgent first, 20 at most. */
  readonly troubles: AgentTrouble[];
  readonly troubledAgents: number;
  readonly failures: Failures;
  /** The tasks that wait longest for a person, 5 at most. */
  readonly longestInterrupted: LongInterruption[];
  /** Limits that are nearly reached, the fullest first. */
  readonly limits: NearLimit[];
  readonly kept: KeptTasks;
}

export interface AgentTrouble {
  readonly agent: string;
  readonly name: string;
  readonly kind: 'worker-silent' | 'no-worker' | 'paused';
  readonly waiting: number;
  /** Turns that a silent worker has. */
  readonly frozenTurns: number;
  readonly oldestWaitMs: number;
}

interface LongInterruption {
  readonly taskId: string;
  readonly agent: string;
  /** ISO time. */
  readonly since: string;
}

const MAX_TROUBLES = 20;
const MAX_LONGEST = 5;

interface OverviewParts {
  readonly agents: Agents;
  readonly deadLetters: DeadLetters;
  readonly scheduledTasks: () => Promise<number>;
}

/** The cost depends on the number of agents and workers, not on that of tasks. */
export async function readOverview(dependencies: OperatorDependencies, parts: OverviewParts): Promise<Overview> {
  const [agents, workers, deadLetters, scheduled, interrupted, longest, failures, limits, kept] = await Promise.all([
    parts.agents.list(),
    dependencies.workers.list(),
    parts.deadLetters.count(),
    parts.scheduledTasks(),
    countInterrupted(dependencies),
    longestInterrupted(dependencies),
    recentFailures(dependencies),
    nearLimits(dependencies),
    keptTasks(dependencies),
  ]);
  const silent = workers.filter(({ state }) => state === 'silent').length;
  return {
    ...loadOf(agents),
    ...troublesOf(agents),
    interrupted,
    deadLetters,
    scheduled,
    agents: agents.length,
    workers: { live: workers.length - silent, silent },
    failures,
    longestInterrupted: longest,
    limits,
    kept,
  };
}

function loadOf(agents: readonly AgentReading[]): Pick<Overview, 'waiting' | 'delayed' | 'active' | 'oldestWaitMs'> {
  const sum = (name: 'waiting' | 'delayed' | 'active'): number => agents.reduce((all, each) => all + each[name], 0);
  return {
    waiting: sum('waiting'),
    delayed: sum('delayed'),
    active: sum('active'),
    oldestWaitMs: Math.max(0, ...agents.map(({ oldestWaitMs }) => oldestWaitMs)),
  };
}

function troublesOf(agents: readonly AgentReading[]): Pick<Overview, 'stuck' | 'troubles' | 'troubledAgents'> {
  const troubles = agents.flatMap((agent) => troubleOf(agent) ?? []).sort(moreUrgent);
  return {
    // Behind a silent worker, other workers of the agent take what waits.
    stuck: troubles.reduce(
      (all, { kind, waiting, frozenTurns }) => all + frozenTurns + (kind === 'worker-silent' ? 0 : waiting),
      0,
    ),
    troubles: troubles.slice(0, MAX_TROUBLES),
    troubledAgents: troubles.length,
  };
}

/** @returns undefined: somebody works on its messages, or there are none */
function troubleOf(reading: AgentReading): AgentTrouble | undefined {
  const { id: agent, name, workers, paused, frozenTurns, waiting, oldestWaitMs } = reading;
  const trouble = { agent, name, waiting, frozenTurns, oldestWaitMs };
  if (workers === 0 && waiting > 0) return { ...trouble, kind: 'no-worker' };
  if (frozenTurns > 0) return { ...trouble, kind: 'worker-silent' };
  return paused && waiting > 0 ? { ...trouble, kind: 'paused' } : undefined;
}

const urgency: Readonly<Record<AgentTrouble['kind'], number>> = { 'worker-silent': 0, 'no-worker': 1, paused: 2 };

function moreUrgent(a: AgentTrouble, b: AgentTrouble): number {
  return urgency[a.kind] - urgency[b.kind] || b.waiting - a.waiting || (a.agent < b.agent ? -1 : 1);
}

async function countInterrupted({ redis, shards }: OperatorDependencies): Promise<number> {
  const counts = await Promise.all(shards.all.map(({ interrupted }) => redis.zcard(interrupted)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function longestInterrupted(dependencies: OperatorDependencies): Promise<LongInterruption[]> {
  const longest = await oldestInterruptions(dependencies, MAX_LONGEST);
  const tasks = await Promise.all(longest.map((one) => interruptedTask(dependencies, one, false)));
  return tasks.flatMap((task) =>
    task ? { taskId: task.taskId, agent: task.agent, since: task.interruptedSince } : [],
  );
}
