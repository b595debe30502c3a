import type { FailureKind } from '@switchyard/protocol';
import { ArchiveUnavailable } from '@switchyard/store';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { type FoundTask, searchTasks, type TaskSearchPage } from './task-search.ts';

/** Tasks that failed or were rejected in the last hour, or as long as tasks are kept. */
export interface Failures {
  readonly total: number;
  /** How many of them, the latest, are counted by reason. */
  readonly counted: number;
  /** The most frequent first, 10 at most. */
  readonly reasons: FailureReason[];
  /** The archive does not answer: those that Redis has forgotten are left out. */
  readonly isPartial?: true;
}

export interface FailureReason {
  /** As of the latest task. */
  readonly reason: string;
  readonly kind?: FailureKind | undefined;
  readonly count: number;
  /** Ids of some of their agents. */
  readonly agents: string[];
  /** The latest task that failed so. */
  readonly taskId: string;
}

const HOUR_MS = 3_600_000;
/** Bounds the cost. */
const MAX_COUNTED = 200;
const MAX_REASONS = 10;
const MAX_AGENTS = 5;

export async function recentFailures(dependencies: OperatorDependencies): Promise<Failures> {
  const since = new Date(Date.now() - HOUR_MS).toISOString();
  const states = ['TASK_STATE_FAILED', 'TASK_STATE_REJECTED'] as const;
  const search = { states, since, pageSize: MAX_COUNTED, hasText: false };
  try {
    return failuresOf(await searchTasks(dependencies, search));
  } catch (error) {
    if (!(error instanceof ArchiveUnavailable)) throw error;
    return { ...failuresOf(await searchTasks({ ...dependencies, archive: undefined }, search)), isPartial: true };
  }
}

function failuresOf({ tasks, totalSize }: TaskSearchPage): Failures {
  return { total: totalSize, counted: tasks.length, reasons: reasonsOf(tasks) };
}

function reasonsOf(tasks: readonly FoundTask[]): FailureReason[] {
  const byReason = [...Map.groupBy(tasks, reasonOf)];
  const reasons = byReason.map(([, failed]) => ({
    reason: failed[0] ? textOf(failed[0]) : '',
    kind: failed[0]?.reason?.kind,
    count: failed.length,
    agents: [...new Set(failed.map(({ agent }) => agent))].slice(0, MAX_AGENTS),
    taskId: failed[0]?.taskId ?? '',
  }));
  return reasons.sort((a, b) => b.count - a.count).slice(0, MAX_REASONS);
}

function textOf({ state, reason }: FoundTask): string {
  return reason?.message ?? (state === 'TASK_STATE_REJECTED' ? 'Rejected by its agent' : 'Failed');
}

/** Ids, numbers and quoted names differ from task to task, though the reason is the same. */
function reasonOf(task: FoundTask): string {
  return `${task.reason?.kind} ${textOf(task).replaceAll(/"[^"]{0,200}"|[\da-f]{8}-[\da-f-]{27}|\d+/g, '#')}`;
}
