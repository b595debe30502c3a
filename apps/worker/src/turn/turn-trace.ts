import type { Agent, TurnResult } from '@switchyard/agent';
import type { OpenTurn } from '@switchyard/store';
import { type AttemptEnd, type TurnTrace, traceTurn } from '@switchyard/telemetry';

/** The spans of a turn that has begun. */
export function beginTrace(agent: Agent, { start }: OpenTurn): TurnTrace {
  const { taskId, principal, task, message, trace, epoch, attempt } = start;
  const traced = {
    agent: { id: agent.id, name: agent.card.name },
    tenant: principal.tenant,
    taskId,
    contextId: task.contextId,
    messageId: message.messageId,
    trace,
  };
  return traceTurn(traced, { epoch, attempt }, []);
}

/** How the attempt ended, as its spans tell it. */
export function traceEnd(result: TurnResult): AttemptEnd {
  return {
    result: result.kind === 'interrupted' ? result.reason.kind : result.kind,
    state: result.kind === 'failed' ? 'TASK_STATE_FAILED' : result.kind === 'settled' ? result.state : undefined,
    error: 'error' in result ? result.error : undefined,
  };
}
