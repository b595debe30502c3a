import type { TurnResult } from '@switchyard/agent/runtime';
import { isOutage, type JobOutcome, type OpenTurn } from '@switchyard/store';
import type { TurnEnd, TurnName, WorkerEvent } from '../telemetry/events.ts';

/** The event of a turn's begin. */
export function beginOf(turn: OpenTurn, waitedMs: number | undefined): WorkerEvent {
  const { takenOverFrom } = turn.start;
  const begin = { ...nameOf(turn), waitedMs };
  return takenOverFrom ? { kind: 'turn-taken-over', ...begin, takenOverFrom } : { kind: 'turn-begun', ...begin };
}

/** The fields that name a turn in events. */
export function nameOf({ start }: OpenTurn): TurnName {
  const { agent, taskId, attempt, task, principal, requestId } = start;
  return { agent, taskId, contextId: task.contextId, tenant: principal.tenant, attempt, requestId };
}

/** The event of a turn's end. @param next what the queue does with its job */
export function endOf(
  turn: OpenTurn,
  { result, durationMs }: { readonly result: TurnResult; readonly durationMs: number },
  next: JobOutcome | 'more',
): WorkerEvent {
  const end: TurnEnd = { ...nameOf(turn), outcome: outcomeOf(result, turn), durationMs, err: errorIn(result) };
  if (next === 'requeue') return { kind: 'turn-given-back', ...end, isSpent: false, retryInMs: 0 };
  if (typeof next === 'object') {
    return { kind: 'turn-given-back', ...end, isSpent: !isOutage(end.err), retryInMs: next.retryAfterMs };
  }
  if (turn.ending === 'suspended' && result.kind === 'suspended')
    return { kind: 'turn-suspended', ...end, ...waitsFor(result) };
  if (turn.ending === 'given-up') return { kind: 'turn-given-up', ...end, attempts: end.attempt };
  return isLost(result, turn) ? { kind: 'turn-fenced', ...end } : { kind: 'turn-ended', ...end };
}

function waitsFor({ waits }: Extract<TurnResult, { kind: 'suspended' }>) {
  const dueMs = Math.min(...waits.map((wait) => wait.dueMs));
  return {
    waitsFor: waits.map(({ event, call }) => event ?? (call ? `task ${call.taskId}` : 'time')),
    ...(Number.isFinite(dueMs) && { until: new Date(dueMs).toISOString() }),
  };
}

/** Whether the turn lost its task to another run, or because a client or operator ended it. */
function isLost(result: TurnResult, { ending }: OpenTurn): boolean {
  return ending === 'fenced' || (result.kind === 'interrupted' && result.reason.kind === 'taken-over');
}

function outcomeOf(result: TurnResult, { ending }: OpenTurn): string {
  if (ending === 'canceled') return 'TASK_STATE_CANCELED';
  if (result.kind === 'settled') return result.state;
  return result.kind === 'interrupted' ? `interrupted-${result.reason.kind}` : result.kind;
}

function errorIn(result: TurnResult): unknown {
  return 'error' in result ? result.error : undefined;
}
