import type { Failure } from './task-failures.ts';

/** Why a task is in its state, and what an operator can do. */
export interface Diagnosis {
  readonly finding: Finding;
  /** The task needs an action by a person to continue. */
  readonly isStuck: boolean;
  /** One sentence, for people. */
  readonly text: string;
  /** What to do about a failure, before the task runs again. */
  readonly advice?: string;
  /** ISO time. */
  readonly since?: string;
  readonly see: { readonly kind: 'agent' | 'worker' | 'task' | 'tenant'; readonly id: string }[];
  readonly actions: Action[];
  /** Why the task failed. */
  readonly failure?: Failure;
  /** Steps and calls that had failed before in the same attempt, for other reasons; the agent went on. The last 3. */
  readonly before?: Failure[];
}

export type Finding =
  | 'agent-unknown'
  | 'no-worker'
  | 'agent-paused'
  | 'tenant-over-share'
  | 'scheduled'
  | 'queued'
  | 'waits-for-place'
  | 'retry-waits'
  | 'worker-frozen'
  | 'worker-dead'
  | 'not-swept'
  | 'job-missing'
  | 'waits-for-input'
  | 'waits-for-auth'
  | 'waits-for-call'
  | 'remote-unreachable'
  | 'suspended'
  | 'cancel-waits'
  | 'webhook-fails'
  | 'running'
  | 'starting'
  | 'failed'
  | 'ended';
export type Action =
  | 'resume-agent'
  | 'start-worker'
  | 'answer'
  | 'cancel'
  | 'retry'
  | 'drain-worker'
  | 'give-event'
  | 'wait';
