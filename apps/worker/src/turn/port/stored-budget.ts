import type { Budget } from '@switchyard/agent';
import type { BudgetNotice } from '@switchyard/agent/runtime';
import { type Metadata, usageUri, usdText } from '@switchyard/protocol';
import {
  hasBudgets,
  type OpenTurn,
  type SpentTurnBudget,
  type StoreSettings,
  type TaskBudget,
} from '@switchyard/store';
import { z } from 'zod';

interface BudgetSettings {
  /** Of the agent. */
  readonly budget: Budget | undefined;
  readonly settings: StoreSettings;
}

const amount = z.int().min(1).optional();
/** What a client may put into the metadata of its message or request: docs/extensions/usage.md. */
const requestedSchema = z.object({ budget: z.object({ microUsd: amount, tokens: amount }) });

/** The budgets that concern a turn. */
export class StoredBudget {
  readonly #turn: OpenTurn;
  readonly #agent: TaskBudget;
  readonly #client: TaskBudget;
  readonly #asks: boolean;
  /** By what is asked for: whether a budget may limit it. */
  readonly #isChecked: Readonly<Record<'model' | 'call', boolean>>;

  constructor(turn: OpenTurn, { budget, settings }: BudgetSettings) {
    const { message, metadata, caller, task } = turn.start;
    this.#turn = turn;
    this.#agent = budgetOf(budget);
    this.#client = budgetOf(requestedIn(message.metadata) ?? requestedIn(metadata));
    // Only a client can be asked. An agent that called gets the failure, and its own budget decides.
    this.#asks = budget?.whenSpent === 'ask' && caller === undefined;
    // An earlier message may have named a budget, and the task that called this one may have one.
    const isFollowUp = (task.history?.length ?? 0) > 1;
    const call = isSet(this.#agent) || isSet(this.#client) || (isFollowUp && this.#asks) || hasBudgets(settings);
    this.#isChecked = { call, model: call || isFollowUp || caller !== undefined };
  }

  /** @returns what to say about a budget that is spent */
  async check(what: 'model' | 'call'): Promise<BudgetNotice | undefined> {
    if (!this.#isChecked[what]) return undefined;
    const budgets = { agent: this.#agent, client: this.#client, asks: this.#asks };
    const spent = await this.#turn.spentBudget(budgets);
    return spent && { text: textOf(spent, this.#asks), asks: this.#asks && spent.of === 'task' };
  }
}

const isSet = ({ microUsd, tokens }: TaskBudget): boolean => microUsd > 0 || tokens > 0;

function budgetOf({ microUsd, tokens }: Budget = {}): TaskBudget {
  return { microUsd: microUsd ?? 0, tokens: tokens ?? 0 };
}

/** What is no budget is left out: a client may send any metadata. */
function requestedIn(metadata: Metadata | undefined): Budget | undefined {
  const { microUsd, tokens } = requestedSchema.safeParse(metadata?.[usageUri]).data?.budget ?? {};
  if (microUsd === undefined && tokens === undefined) return undefined;
  return { ...(microUsd !== undefined && { microUsd }), ...(tokens !== undefined && { tokens }) };
}

function textOf({ of, unit, spent, budget, renewsAtMs, allowance }: SpentTurnBudget, asks: boolean): string {
  const amounts = `${amountText(spent, unit)} of ${amountText(budget, unit)}`;
  if (of === 'task' && asks)
    return `Spent ${amounts}. Go on, and spend up to ${amountText(allowance, unit)} more? Answer yes or no.`;
  if (of === 'task') return `The task has spent its budget: ${amounts}.`;
  if (of === 'caller') return `The task that called this one has spent its budget: ${amounts}.`;
  const whose = of === 'tenant' ? 'your tenant' : 'your principal';
  return `The budget of ${whose} is spent: ${amounts}. It renews at ${new Date(renewsAtMs).toISOString()}.`;
}

function amountText(amount: number, unit: SpentTurnBudget['unit']): string {
  return unit === 'tokens' ? `${amount} tokens` : usdText(amount);
}
