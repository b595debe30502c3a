import type { AgentReading } from './agents.ts';
import type { OpsPort } from './ops-port.ts';
import type { OverdueTask } from './overdue-tasks.ts';
import { type StuckReason, stuckReason } from './stuck-reason.ts';

/** A task that has work to do, and no heartbeat. */
export interface StuckTask extends Pick<OverdueTask, 'taskId' | 'agent' | 'state' | 'attempts' | 'sweeps'> {
  readonly reason: StuckReason;
  /** ISO time. */
  readonly silentSince: string;
}

/** @param agents all agents */
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
