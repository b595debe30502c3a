import {
  type FieldViolation,
  inputIsMissing,
  inputPart,
  invalidParams,
  type SendMessageRequest,
} from '@switchyard/protocol';
import { DataCheck } from '@switchyard/protocol/schemas';
import type { AnnouncedAgent } from '@switchyard/store';
import type { Call } from '../call/call.ts';

const checks = new WeakMap<AnnouncedAgent, DataCheck>();

/**
 * A message that creates a task has the input that its agent announces (docs/extensions/input.md), whether or not its
 * client knows the extension.
 * @throws {A2AError} InvalidParams, naming every wrong field
 */
export function requireInput({ agent }: Pick<Call, 'agent'>, { message }: SendMessageRequest): void {
  const { inputSchema } = agent;
  if (!inputSchema || message.taskId !== undefined) return;
  const violations = violationsOf(agent, message);
  if (violations.length > 0) throw invalidParams(violations);
}

function violationsOf(agent: AnnouncedAgent, message: SendMessageRequest['message']): FieldViolation[] {
  const at = inputPart(message);
  if (at === undefined) return [{ field: 'message.parts', description: inputIsMissing }];
  return checkOf(agent).violations(message.parts[at]?.data, `message.parts[${at}].data`);
}

/** An announcement that changes is another object. */
function checkOf(agent: AnnouncedAgent): DataCheck {
  const known = checks.get(agent);
  if (known) return known;
  const made = new DataCheck(agent.inputSchema ?? {});
  checks.set(agent, made);
  return made;
}
