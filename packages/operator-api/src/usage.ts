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

export type TaskUsage = z.infer<typeof taskUsageSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type UsageRow = z.infer<typeof rowSchema>;

/** `$1.23`; less than a cent: `$0.0012`. */
export function dollars(microUsd: number): string {
  const digits = microUsd > 0 && microUsd < 10_000 ? 6 : 2;
  return `$${(microUsd / 1_000_000).toFixed(digits)}`;
}
