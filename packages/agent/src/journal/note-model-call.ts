import type { ModelCall } from '../port/model-call.ts';
import { TurnScope } from './turn-scope.ts';

/**
 * Counts a request to a model that has just ended as `turn.usage` does, and notes it for operators: the task's timeline
 * shows it. Call it from code that runs in a turn; elsewhere it does nothing. Executors such as `openaiExecutor` call it
 * themselves. A task keeps the latest 1,000 notes, an attempt at most 100 of models; every request is counted.
 *
 *     noteModelCall({ model: 'small', durationMs: 840, inputTokens: 12, outputTokens: 96, finishReason: 'stop' });
 */
export function noteModelCall(call: ModelCall): void {
  TurnScope.current?.turn.onModelCall?.(call);
}

/**
 * Call it before a request to a model, from code that runs in a turn; elsewhere it does nothing. It rejects if a budget
 * is spent: of the task, of a task that called it, or of the tenant or principal. Executors such as `openAiExecutor`
 * call it themselves, and so does `turn.call`.
 *
 *     await checkBudget();
 *     const price = await askPrice(turn.text, turn.signal);
 *     noteModelCall({ model: 'small', durationMs: 840, inputTokens: 12, outputTokens: 96 });
 * @throws {BudgetSpent} do not catch it: it ends the turn as the agent's `budget` says
 */
export async function checkBudget(): Promise<void> {
  await TurnScope.current?.turn.onBudgetCheck?.();
}
