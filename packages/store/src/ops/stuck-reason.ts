import type { AgentReading } from './agents.ts';
import type { OverdueTask } from './overdue-tasks.ts';

/**
 * - `agent-paused`: its agent is paused. `no-worker`: no live worker runs its agent.
 * - `not-swept`: no worker sweeps the outbox.
 * - `worker-silent`: the turn is open, and its worker sends no heartbeat. `queued`: its job waits behind others.
 * - `retry-waits`: its job is delayed. `job-missing`: the queue has no job for it; the sweeper adds one.
 */
export type StuckReason =
  | 'agent-paused'
  | 'no-worker'
  | 'not-swept'
  | 'worker-silent'
  | 'queued'
  | 'retry-waits'
  | 'job-missing';

/** @param job state of the task's job in the queue @param agent undefined: it was never announced */
export function stuckReason(task: OverdueTask, job: string, agent: AgentReading | undefined): StuckReason {
  if (agent?.paused) return 'agent-paused';
  if (!agent?.workers) return 'no-worker';
  if (task.sweeps === 0) return 'not-swept';
  if (job === 'active' || task.hasOpenTurn) return 'worker-silent';
  if (job === 'waiting') return 'queued';
  return job === 'delayed' ? 'retry-waits' : 'job-missing';
}
