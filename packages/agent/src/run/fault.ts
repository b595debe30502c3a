import type { FailureKind, TurnFault } from '@switchyard/protocol';
import { CallError } from '../calls/call-error.ts';
import { BudgetSpent } from '../port/budget.ts';
import { AgentError, RefusedError, RetryableError, TurnMisuseError } from '../port/turn-errors.ts';

/**
 * Why code of an agent failed, from what it threw.
 *
 *     const { kind } = faultOf(new AgentError('Sold out.')); // ended-by-agent
 */
export function faultOf(error: unknown): TurnFault {
  return { kind: kindOf(error), error };
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof BudgetSpent) return 'budget-spent';
  if (error instanceof RefusedError) return error.kind;
  if (error instanceof AgentError) return error.cause instanceof TurnMisuseError ? 'misuse' : 'ended-by-agent';
  if (error instanceof RetryableError) return 'retry-asked';
  if (error instanceof TurnMisuseError) return 'misuse';
  return error instanceof CallError ? 'call-failed' : 'threw';
}
