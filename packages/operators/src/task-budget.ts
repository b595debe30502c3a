import { usdText } from '@switchyard/protocol';
import { type SpentBudget, spentBudget } from '@switchyard/store/inside';
import type { Diagnosis } from './finding.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { TaskRecord } from './task-record.ts';

/** The budgets for models that an open task has to do with. */
export interface BudgetFacts {
  /** What the task has spent of its own, if it asks whether it may go on: `2.00 USD of 2.00 USD`. */
  readonly asksAfter?: string | undefined;
  /** The budget of its tenant or principal that is spent. */
  readonly spent?: SpentBudget | undefined;
}

export async function budgetFacts(
  dependencies: OperatorDependencies,
  { taskId, tenant, subject, state, isTerminal, messagesAccepted }: TaskRecord,
): Promise<BudgetFacts> {
  if (isTerminal) return {};
  const { redis, shards } = dependencies;
  const [spent, fields] = await Promise.all([
    spentBudget(dependencies, { tenant, subject, scopes: [] }),
    state === 'TASK_STATE_INPUT_REQUIRED' ? redis.hmget(`${shards.of(taskId).task(taskId)}:u`, ...fieldNames) : [],
  ]);
  const [asked, ...amounts] = fields.map(Number);
  // The number of the message whose turn asked. That of an earlier one was answered.
  const asksAfter = asked === messagesAccepted ? spentText(amounts) : undefined;
  return { asksAfter, spent };
}

/** As check-budget.lua writes them. */
const fieldNames = [
  'asked',
  'limit microUsd',
  'total microUsd',
  'limit tokens',
  'total inputTokens',
  'total outputTokens',
];

function spentText([maxUsd = 0, usd = 0, maxTokens = 0, input = 0, output = 0]: readonly number[]): string {
  if (maxUsd > 0 && usd >= maxUsd) return `${usdText(usd)} of ${usdText(maxUsd)}`;
  return `${input + output} tokens of ${maxTokens} tokens`;
}

/** The diagnosis, and what a spent budget of its tenant or principal means for the task. */
export function withSpentBudget(
  diagnosis: Diagnosis,
  { tenant, subject }: TaskRecord,
  spent: SpentBudget | undefined,
): Diagnosis {
  if (!spent) return diagnosis;
  const whose = spent.of === 'tenant' ? `tenant "${tenant}"` : `principal "${tenant}/${subject}"`;
  const amounts = `${usdText(spent.spentMicroUsd)} of ${usdText(spent.budgetMicroUsd)}`;
  const renews = new Date(spent.renewsAtMs).toISOString();
  const text =
    `The budget of ${whose} for models is spent: ${amounts}. Until it renews at ${renews}, new messages are refused, ` +
    'and turns fail before their next request to a model.';
  const link = { kind: 'tenant', id: tenant } as const;
  const isLinked = diagnosis.see.some(({ kind }) => kind === 'tenant');
  return { ...diagnosis, text: `${diagnosis.text} ${text}`, see: isLinked ? diagnosis.see : [...diagnosis.see, link] };
}
