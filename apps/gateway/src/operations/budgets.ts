import { A2AError, type SendMessageRequest, usageUri } from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';

const amount = z.int().min(1).optional();
const asked = z.object({
  metadata: z
    .object({
      [usageUri]: z.object({ budget: z.strictObject({ microUsd: amount, tokens: amount }).optional() }).optional(),
    })
    .optional(),
});
const askedBudget = asked.extend({ message: asked });

/**
 * A budget that a client names for its task (docs/extensions/usage.md) has the right form. It holds although no request
 * activates the extension, so a wrong one is refused without that, too: its client relies on it.
 * @throws {A2AError} InvalidParams
 */
export function checkAskedBudget(request: SendMessageRequest): void {
  const isNamed = usageUri in (request.message.metadata ?? {}) || usageUri in (request.metadata ?? {});
  if (isNamed) parse(askedBudget, request);
}

/**
 * The principal, and its tenant, have not spent their budgets for models.
 * @throws {A2AError} RateLimited, until a budget renews
 */
export async function requireBudget(
  backend: Backend,
  { scope, idempotencyKey }: Call,
  { message }: SendMessageRequest,
): Promise<void> {
  const sent = { message, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const spent = await backend.tasks.spentBudget(scope, sent);
  if (!spent) return;
  const renewsAt = new Date(spent.renewsAtMs).toISOString();
  const whose = spent.of === 'tenant' ? 'your tenant' : 'your principal';
  throw new A2AError('RateLimited', `The budget of ${whose} for models is spent: it renews at ${renewsAt}`, {
    retryAfterSeconds: Math.max(1, Math.ceil((spent.renewsAtMs - Date.now()) / 1_000)),
    metadata: { limit: `budget-of-${spent.of}`, renewsAt },
  });
}
