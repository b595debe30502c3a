import {
  longestTimeToLiveMs,
  type Priority,
  priorities,
  priorityUri,
  timeToLiveUri,
  usageUri,
} from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { requireScopes } from '../admission/scopes.ts';
import type { Call } from '../call/call.ts';
import { extensionReader } from '../call/extensions.ts';
import type { ConditionalSend } from './if-generation.ts';

// What a client asks for with a message, by extensions: a priority, a time to live, a budget.

export const prioritySchema = z.literal([...priorities]);
export const timeToLiveSchema = z.int().min(1).max(longestTimeToLiveMs);

const readAskedPriority = extensionReader(priorityUri, z.strictObject({ priority: prioritySchema }));

/**
 * The priority of a message: what its client asks for (docs/extensions/priority.md), or the agent's own for the message
 * that begins a task.
 * @returns undefined: that of the task
 * @throws {A2AError} InvalidParams; PermissionDenied: it is higher than the agent's, and the caller lacks the scope
 */
export function readPriority(call: Call, request: ConditionalSend): Priority | undefined {
  const { priority: usual = 'normal' } = call.agent;
  const asked = readAskedPriority(call, request)?.priority;
  if (asked !== undefined && priorities.indexOf(asked) < priorities.indexOf(usual))
    requireScopes(call.admission.identity, ['priority']);
  if (asked !== undefined || request.message.taskId !== undefined) return asked;
  return usual === 'normal' ? undefined : usual;
}

const readAskedTimeToLive = extensionReader(timeToLiveUri, z.strictObject({ ttlMs: timeToLiveSchema }));

/**
 * The time to live of a message: what its client asks for (docs/extensions/time-to-live.md), or the agent's own.
 * @throws {A2AError} InvalidParams
 */
export function readTimeToLive(call: Call, request: ConditionalSend): number | undefined {
  return readAskedTimeToLive(call, request)?.ttlMs ?? call.agent.timeToLiveMs;
}

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
export function checkAskedBudget(request: ConditionalSend): void {
  const isNamed = usageUri in (request.message.metadata ?? {}) || usageUri in (request.metadata ?? {});
  if (isNamed) parse(askedBudget, request);
}
