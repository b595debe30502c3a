import type { AgentReading } from './agents.ts';
import type { OverdueTask } from './overdue-tasks.ts';

/**
 * - `agent-paused`: its agent is paused. `no-worker`: no worker that is alive can run its agent.
 * - `not-swept`: the sweeper does not come, though there are workers.
 * - `worker-silent`: the turn is open, its worker says nothing. `queued`: its job waits behind others.
 * - `retry-waits`: its job comes back after a while. `job-missing`: the queue has no job for it; the sweeper adds it
 *   anew.
 */
export type StuckReason =
  | 'agent-paused'
  | 'no-worker'
  | 'not-swept'
  | 'worker-silent'
  | 'queued'
  | 'retry-waits'
  | 'job-missing';

/** @param job what the queue knows of the task's job @param agent undefined: it was never announced */
export function stuckReason(task: OverdueTask, job: string, agent: AgentReading | undefined): StuckReason {
  if (agent?.paused) return 'agent-paused';
  if (!agent?.workers) return 'no-worker';
  if (task.sweeps === 0) return 'not-swept';
  if (job === 'active' || task.hasOpenTurn) return 'worker-silent';
  if (job === 'waiting') return 'queued';
  return job === 'delayed' ? 'retry-waits' : 'job-missing';
}
