import { diagnose } from './diagnosis.ts';
import type { Diagnosis, Finding } from './finding.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { OverdueTask } from './overdue-tasks.ts';
import { type DeploymentFacts, factsOf } from './task-facts.ts';
import { readStored } from './task-record.ts';

/** The finding of the task's diagnosis, with fewer distinctions. */
export type StuckReason =
  | 'agent-paused'
  | 'no-worker'
  | 'not-swept'
  | 'worker-silent'
  | 'queued'
  | 'retry-waits'
  | 'job-missing';

/** A task that has work to do, and no heartbeat. */
export interface StuckTask extends Pick<OverdueTask, 'taskId' | 'agent' | 'state' | 'attempts' | 'sweeps'> {
  readonly reason: StuckReason;
  readonly diagnosis: Diagnosis;
  /** ISO time. */
  readonly silentSince: string;
}

/** With any other finding the task has, or just had, a turn whose worker does not report. */
const reasons: Partial<Record<Finding, StuckReason>> = {
  'agent-unknown': 'no-worker',
  'no-worker': 'no-worker',
  'agent-paused': 'agent-paused',
  'not-swept': 'not-swept',
  'tenant-over-share': 'queued',
  queued: 'queued',
  'waits-for-place': 'queued',
  'retry-waits': 'retry-waits',
  'job-missing': 'job-missing',
};

/** @returns undefined: the task is gone */
export async function whyStuck(
  dependencies: OperatorDependencies,
  task: OverdueTask,
  deployment: DeploymentFacts,
): Promise<StuckTask | undefined> {
  const { taskId, agent, state, attempts, sweeps } = task;
  const stored = await readStored(dependencies, taskId);
  if (!stored) return undefined;
  const diagnosis = diagnose(await factsOf(dependencies, stored, deployment));
  const reason = reasons[diagnosis.finding] ?? 'worker-silent';
  return {
    taskId,
    agent,
    state,
    reason,
    diagnosis,
    silentSince: new Date(task.seenMs).toISOString(),
    attempts,
    sweeps,
  };
}
