import type { Agent } from '@switchyard/agent';
import type { TurnResult } from '@switchyard/agent/runtime';
import type { OpenTurn, Store } from '@switchyard/store';
import { type AttemptEnd, isTracing, type TurnTrace, traceTurn } from '@switchyard/telemetry';

/** Begins the spans of a turn, and adds those that earlier attempts left open when their workers died. */
export async function beginTrace(
  { store, agent }: { readonly store: Pick<Store, 'turns'>; readonly agent: Agent },
  turn: OpenTurn,
  waitedMs: number | undefined,
): Promise<TurnTrace> {
  const { taskId, principal, task, message, trace, epoch, attempt } = turn.start;
  const traced = {
    agent: { id: agent.id, name: agent.card.name },
    tenant: principal.tenant,
    taskId,
    contextId: task.contextId,
    messageId: message.messageId,
    trace,
  };
  const lost = isTracing() && attempt > 1 ? await store.turns.lostBefore(turn) : [];
  return traceTurn(traced, { epoch, attempt, waitedMs }, lost);
}

/** How the attempt ended, for its spans. */
export function traceEnd(result: TurnResult, used: AttemptEnd['used']): AttemptEnd {
  return {
    used,
    result: result.kind === 'interrupted' ? result.reason.kind : result.kind,
    state: result.kind === 'failed' ? 'TASK_STATE_FAILED' : result.kind === 'settled' ? result.state : undefined,
    error: 'error' in result ? result.error : undefined,
  };
}
