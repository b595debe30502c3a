import { type Priority, priorities, priorityUri } from '@switchyard/protocol';
import { z } from 'zod';
import { requireScopes } from '../admission/scopes.ts';
import type { Call } from '../call/call.ts';
import { extensionReader } from '../call/extensions.ts';
import type { ConditionalSend } from './if-generation.ts';

const readAsked = extensionReader(priorityUri, z.strictObject({ priority: z.literal([...priorities]) }));

/**
 * The priority of a message: what its client asks for (docs/extensions/priority.md), or the agent's own for the message
 * that begins a task.
 * @returns undefined: that of the task
 * @throws {A2AError} InvalidParams; PermissionDenied: it is higher than the agent's, and the caller lacks the scope
 */
export function readPriority(call: Call, request: ConditionalSend): Priority | undefined {
  const { priority: usual = 'normal' } = call.agent;
  const asked = readAsked(call, request)?.priority;
  if (asked !== undefined && priorities.indexOf(asked) < priorities.indexOf(usual))
    requireScopes(call.admission.identity, ['priority']);
  if (asked !== undefined || request.message.taskId !== undefined) return asked;
  return usual === 'normal' ? undefined : usual;
}
