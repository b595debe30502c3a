import { usdText } from '@switchyard/protocol';
import { z } from 'zod';
import { count } from './page.ts';

/** What was used of models. Amounts that are 0 are left out. */
const amounts = {
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  /** Those of the input that the provider had cached. */
  cachedTokens: count.optional(),
  /** Those of the output that were thoughts. */
  reasoningTokens: count.optional(),
  calls: count.optional(),
  /** Calls whose price is not known. */
  unpricedCalls: count.optional(),
  /** Millionths of a US dollar. */
  microUsd: count.optional(),
};

/** What a task has used so far, with all tasks below it. */
export const taskUsageSchema = z.object({
  total: z.object(amounts),
  own: z
    .array(z.object({ model: z.string(), ...amounts }))
    .readonly()
    .optional(),
  calls: z
    .array(z.object({ taskId: z.string(), agent: z.string(), ...amounts }))
    .readonly()
    .optional(),
});

/** Tokens in and out together. */
export const taskBudgetSchema = z.object({ microUsd: count.optional(), tokens: count.optional() });

const rowSchema = z.object({ name: z.string(), ...amounts });

export const usageGroups = ['agent', 'tenant', 'model', 'day'] as const;

/**
 * `GET /admin/usage`: what was used in the days `from` to `to` (UTC, as 2026-11-28, both included; default: the last
 * seven), by agent, tenant, model or day. `agent`, `tenant` and `model` limit it.
 */
export const usageSchema = z.object({
  by: z.enum(usageGroups),
  from: z.string(),
  to: z.string(),
  total: z.object(amounts),
  /** The dearest first; of days, the earliest. 500 at most, of `totalSize`. */
  rows: z.array(rowSchema),
  totalSize: count,
  /** The same days one by one; those without usage are left out. */
  days: z.array(rowSchema),
});

/** `1.20 USD of 2.00 USD, 3500 of 10000 tokens`; without a budget `1.20 USD`. */
export function spentText({ total }: TaskUsage, budget: TaskBudget = {}): string {
  const { microUsd = 0, inputTokens = 0, outputTokens = 0 } = total;
  const money = budget.microUsd === undefined ? '' : ` of ${usdText(budget.microUsd)}`;
  const tokens = budget.tokens === undefined ? '' : `, ${inputTokens + outputTokens} of ${budget.tokens} tokens`;
  return `${usdText(microUsd)}${money}${tokens}`;
}

export type TaskBudget = z.infer<typeof taskBudgetSchema>;
export type TaskUsage = z.infer<typeof taskUsageSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type UsageRow = z.infer<typeof rowSchema>;
