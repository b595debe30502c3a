import type { InterruptionKind, RetryPolicy } from '@switchyard/agent';
import { RetryableError } from '@switchyard/agent';
import { type PendingWait, readableWait, retryDelayMs, type TurnResult } from '@switchyard/agent/runtime';
import type { FailureReport } from '@switchyard/protocol';
import { isOutage, type JobOutcome, type OpenTurn, type Suspension, TurnFenced } from '@switchyard/store';
import type { TurnFailures } from './failures/turn-failures.ts';

/**
 * Writes the result of a run to the store.
 * @returns what the queue does with the job; `more`: the task has another turn to run
 */
export async function concludeTurn(
  turn: OpenTurn,
  result: TurnResult,
  { retry, failures }: { readonly retry: RetryPolicy; readonly failures: TurnFailures },
): Promise<JobOutcome | 'more'> {
  const runAgain = (error: unknown, afterMs?: number): Promise<JobOutcome> => {
    const retryAfterMs = retryDelayMs(retry, turn.start.attempt, afterMs);
    const kind = error instanceof RetryableError ? 'retry-asked' : 'not-written';
    const failure = failures.report({ kind, error }, retryAfterMs);
    // An outage of Redis spends no attempt.
    return handBack(turn, { isSpent: !isOutage(error), failure }, { retryAfterMs });
  };
  /** A turn whose last events are not written, or lost, neither waits nor ends: it runs again. */
  const close = async (write: () => Promise<unknown>): Promise<JobOutcome | 'more'> => {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof TurnFenced)) return runAgain(error);
    }
    return afterEnding(turn);
  };
  await turn.flush();
  switch (result.kind) {
    case 'settled':
      if (result.error !== undefined) await failures.threwAfterOutcome(result.error);
      return afterEnding(turn);
    case 'failed':
      return afterEnding(turn);
    case 'waiting-for-auth':
      return close(() => turn.end(result.delivered));
    case 'retry':
      return runAgain(result.error, result.afterMs);
    case 'suspended':
      return close(() => turn.suspend(suspensionOf(result.waits)));
    case 'interrupted':
      return interrupted(turn, result.reason.kind);
  }
}

function afterEnding({ ending }: OpenTurn): JobOutcome | 'more' {
  if (ending === 'more') return 'more';
  // Another run owns the task and its job now, or the task has ended.
  return ending === undefined || ending === 'fenced' ? 'done' : 'removed';
}

/** @param waits of the turn */
function suspensionOf(waits: readonly PendingWait[]): Suspension {
  return {
    dueMs: Math.min(...waits.map(({ dueMs }) => dueMs)),
    events: eventsOf(waits),
    calls: waits.flatMap(({ call }) => call ?? []),
    waits: waits.map(readableWait),
  };
}

/** The events that end a wait. Waits for the same one with different schemas take any data. */
function eventsOf(waits: readonly PendingWait[]): Suspension['events'] {
  const schemas = new Map<string, string | undefined>();
  for (const { event, schema } of waits) {
    if (event === undefined) continue;
    const isSame = !schemas.has(event) || schemas.get(event) === schema;
    schemas.set(event, isSame ? schema : undefined);
  }
  return [...schemas].map(([name, schema]) => ({ name, schema }));
}

async function interrupted(turn: OpenTurn, reason: InterruptionKind): Promise<JobOutcome | 'more'> {
  if (turn.ending) return afterEnding(turn);
  // A turn that was taken over has nothing to give back, unless it has only lost its place: then its job is still its own.
  if (reason !== 'canceled') return handBack(turn, { isSpent: false }, 'requeue');
  await cancel(turn);
  return afterEnding(turn);
}

async function handBack(
  turn: OpenTurn,
  { isSpent, failure }: { readonly isSpent: boolean; readonly failure?: FailureReport },
  outcome: JobOutcome,
): Promise<JobOutcome> {
  return (await turn.handBack(isSpent, failure)) === 'given-back' ? outcome : 'done';
}

async function cancel(turn: OpenTurn): Promise<void> {
  try {
    await turn.publish({ kind: 'status', state: 'TASK_STATE_CANCELED', settles: true });
  } catch (error) {
    if (!(error instanceof TurnFenced)) throw error; // the sweeper, or another run, has ended the task
  }
}
